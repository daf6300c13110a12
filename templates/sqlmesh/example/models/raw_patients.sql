MODEL (
  name clinic.raw_patients,
  kind SEED (path '../seeds/raw_patients.csv'),
  columns (
    patient_id INT, name TEXT, sex TEXT, born TEXT, zip INT, job TEXT, disease TEXT, loaded_on TEXT
  )
);
