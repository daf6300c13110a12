-- what a project has before anything is anonymized; the tests cut it off at a day, or add a column
select patient_id, name, sex, born, zip, job, disease, loaded_on
from {{ ref('raw_patients') }}
where loaded_on <= cast('{{ var("until", "2026-03-31") }}' as date)
