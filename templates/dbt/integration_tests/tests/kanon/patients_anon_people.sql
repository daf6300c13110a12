{# made by kanon-sql dbt plan, from kanon/patients_anon.plan.yml: make it again, and do not edit it #}
{# plan b92314f74ed7 #}
{{ kanon.k_people(ref('patients_anon'), ref('stg_patients'), 'patients_anon') }}
