{# made by kanon-sql dbt plan, from kanon/patients_anon.plan.yml: make it again, and do not edit it #}
{{ config(severity='warn') }}

{{ kanon.fit_masks(ref('stg_patients'), {"zip": 5}) }}
