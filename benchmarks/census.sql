-- A census of made-up people, the same for every run, thread count and version of the database:
-- the only randomness is MD5 of the row's number, and the arithmetic is sums and products.
SELECT
  person,
  CASE WHEN u1 < 0.49 THEN 'Male' ELSE 'Female' END AS sex,
  CAST(age AS INTEGER) AS age,
  printf('%05d', 100 * (100 + (97 * city) % 900) + 7 * street) AS zip,
  CASE
    WHEN age < 16 THEN 'Preschool'
    ELSE getvariable('educations')[1 + schooling]
  END AS education,
  CASE
    WHEN age < 18 THEN 'Never-married'
    WHEN age > 70 AND u5 < 0.5 THEN 'Widowed'
    ELSE getvariable('maritals')[1 + CAST(FLOOR(7 * u5 * u5) AS INTEGER)]
  END AS marital,
  CASE
    WHEN u6 < 0.9 THEN 'United-States'
    ELSE getvariable('countries')[2 + CAST(FLOOR(40 * (u6 - 0.9) * (u6 - 0.9) / 0.01) AS INTEGER)]
  END AS country,
  CASE
    WHEN age < 16 THEN 'Never-worked'
    ELSE getvariable('workclasses')[1 + CAST(FLOOR(8 * u7 * u7 * u7) AS INTEGER)]
  END AS workclass,
  CASE
    WHEN age < 16 THEN 'None'
    ELSE getvariable('occupations')[1 + (schooling // 3 + CAST(FLOOR(14 * u8 * u8) AS INTEGER)) % 14]
  END AS occupation,
  printf('D%02d', CAST(FLOOR(10 * age / 91 + 40 * u9 * u9) AS INTEGER)) AS disease,
  CAST(FLOOR(8000 + 4000 * schooling + 90000 * u10 * u10 * u10) AS INTEGER) AS income
FROM (
  SELECT
    *,
    FLOOR(90 * u2 * (0.4 + 0.6 * u2)) AS age,
    CAST(FLOOR(20 * u3 * u3 * u3) AS INTEGER) AS city,
    CAST(FLOOR(8 * u11 * u11) AS INTEGER) AS street,
    CAST(FLOOR(16 * (0.5 * u4 + 0.3 * u12 + 0.2 * u2)) AS INTEGER) AS schooling
  FROM (
    SELECT
      person,
      CAST(a & 65535 AS DOUBLE) / 65536 AS u1,
      CAST((a >> 16) & 65535 AS DOUBLE) / 65536 AS u2,
      CAST((a >> 32) & 65535 AS DOUBLE) / 65536 AS u3,
      CAST((a >> 48) & 65535 AS DOUBLE) / 65536 AS u4,
      CAST(b & 65535 AS DOUBLE) / 65536 AS u5,
      CAST((b >> 16) & 65535 AS DOUBLE) / 65536 AS u6,
      CAST((b >> 32) & 65535 AS DOUBLE) / 65536 AS u7,
      CAST((b >> 48) & 65535 AS DOUBLE) / 65536 AS u8,
      CAST(c & 65535 AS DOUBLE) / 65536 AS u9,
      CAST((c >> 16) & 65535 AS DOUBLE) / 65536 AS u10,
      CAST((c >> 32) & 65535 AS DOUBLE) / 65536 AS u11,
      CAST((c >> 48) & 65535 AS DOUBLE) / 65536 AS u12
    FROM (
      SELECT
        range AS person,
        md5_number_lower('a' || range) AS a,
        md5_number_lower('b' || range) AS b,
        md5_number_lower('c' || range) AS c
      FROM range(getvariable('census_rows'))
    ) AS hashed
  ) AS uniform
) AS drawn
