{# made by kanon-sql dbt plan, from kanon/patients_anon.plan.yml: make it again, and do not edit it #}
{{ kanon.classified(ref('stg_patients'), ["patient_id", "name", "sex", "born", "zip", "job", "disease", "loaded_on"]) }}
