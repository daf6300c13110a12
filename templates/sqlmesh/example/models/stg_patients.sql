-- What a project has before anything is anonymized. A column more stops the project, until something is said of it.
MODEL (
  name clinic.stg_patients,
  kind VIEW,
  audits (
    kanon_classified(
      columns := (patient_id, name, sex, born, zip, job, disease, loaded_on),
      listed_in := system.information_schema.columns
    )
  )
);

SELECT
  patient_id,
  name,
  sex,
  CAST(born AS DATE) AS born,
  LPAD(CAST(zip AS TEXT), 5, '0') AS zip,
  NULLIF(job, 'unknown') AS job,
  disease,
  CAST(loaded_on AS DATE) AS loaded_on
FROM clinic.raw_patients;
