-- Adult drawn up to any size, the same in every version and with any number of threads: the only
-- randomness is MD5 of the row's number. Each value is, with 15 in 100, that of some other row.
CREATE TEMPORARY TABLE people AS
SELECT
  LIST(sex) AS sex,
  LIST(age) AS age,
  LIST(race) AS race,
  LIST("marital-status") AS marital,
  LIST(education) AS education,
  LIST("native-country") AS country,
  LIST(workclass) AS workclass,
  LIST(occupation) AS occupation,
  LIST("salary-class") AS salary,
  COUNT(*) AS people
FROM read_csv(getvariable('adult'), delim = ';', header = TRUE, all_varchar = TRUE, parallel = FALSE);

CREATE TEMPORARY TABLE draws AS
SELECT
  LIST_TRANSFORM(
    RANGE(9),
    LAMBDA n: CASE
      WHEN md5_number_lower(person || ':kept' || n) % 100 < 15
        THEN 1 + CAST(md5_number_lower(person || ':other' || n) % people AS BIGINT)
      ELSE own
    END
  ) AS whose
FROM (
  SELECT
    range AS person,
    people,
    1 + CAST(md5_number_lower(range || ':own') % people AS BIGINT) AS own
  FROM range(getvariable('wanted'))
  CROSS JOIN people
) AS drawn;

CREATE TEMPORARY VIEW drawn AS
SELECT
  sex[whose[1]] AS sex,
  age[whose[2]] AS age,
  race[whose[3]] AS race,
  marital[whose[4]] AS "marital-status",
  education[whose[5]] AS education,
  country[whose[6]] AS "native-country",
  workclass[whose[7]] AS workclass,
  occupation[whose[8]] AS occupation,
  salary[whose[9]] AS "salary-class"
FROM draws
CROSS JOIN people
