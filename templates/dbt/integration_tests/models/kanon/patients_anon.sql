{{ config(materialized='table') }}

{{ kanon.anonymize(ref('stg_patients'), plan='patients_anon') }}
