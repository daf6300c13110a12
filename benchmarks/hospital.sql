-- Hospital visits of made-up people, as raw as such tables are: the same for every run, thread count and version of
-- the database, as the only randomness is MD5 of the person's number and of the visit's, and the arithmetic is sums
-- and products. 107,859 people have some 500,000 visits.
--
-- What is wrong with it, on purpose: ZIP codes with a trailing blank, without their leading zero, or in words; sex and
-- race in several spellings; days of birth that are unknown and say 1900-01-01; NULLs.
SELECT
  ROW_NUMBER() OVER (ORDER BY md5_number_upper('o' || person || '-' || visit), person, visit) AS visit_id,
  printf('H%07d', CAST((person * 7919 + 104729) % 9999991 AS BIGINT)) AS mrn,
  CASE WHEN u7 < 0.0053 THEN DATE '1900-01-01' WHEN u7 < 0.007 THEN NULL ELSE born END AS birth_date,
  CASE
    WHEN u8 < 0.008 THEN NULL
    WHEN u8 < 0.02 THEN CASE WHEN u1 < 0.48 THEN 'm' ELSE 'f' END
    WHEN u8 < 0.03 THEN CASE WHEN u1 < 0.48 THEN 'M ' ELSE 'F ' END
    WHEN u8 < 0.034 THEN 'U'
    ELSE CASE WHEN u1 < 0.48 THEN 'M' ELSE 'F' END
  END AS sex,
  CASE
    WHEN u9 < 0.012 THEN NULL
    WHEN u9 < 0.03 THEN LOWER(people)
    WHEN u9 < 0.042 THEN UPPER(people)
    WHEN u9 < 0.055 THEN people || ' '
    ELSE people
  END AS race,
  CASE
    WHEN u10 < 0.0141 THEN code || ' '
    WHEN u10 < 0.0236 AND SUBSTR(code, 1, 1) = '0' THEN SUBSTR(code, 2)
    WHEN u10 < 0.0296 THEN 'unknown'
    WHEN u10 < 0.034 THEN NULL
    ELSE code
  END AS zip,
  CASE
    WHEN age > 23800 AND v5 < 0.9 THEN 'Medicare'
    WHEN v5 < 0.55 THEN 'Commercial'
    WHEN v5 < 0.8 THEN 'Medicaid'
    WHEN v5 < 0.93 THEN 'Medicare'
    WHEN v5 < 0.985 THEN 'Self-pay'
  END AS insurance,
  printf('D%04d', CAST(FLOOR(2000 * v6 * v6) AS INTEGER)) AS attending,
  admitted AS admitted_at,
  admitted + TO_SECONDS(CAST(86400 * stay + FLOOR(43200 * v4) AS BIGINT)) AS discharged_at,
  CASE CAST(FLOOR(9 * v7 * v7) AS INTEGER)
    WHEN 0 THEN 'Medicine' WHEN 1 THEN 'Surgery' WHEN 2 THEN 'Cardiology' WHEN 3 THEN 'Oncology' WHEN 4 THEN 'Maternity'
    WHEN 5 THEN 'Neurology' WHEN 6 THEN 'Pediatrics' WHEN 7 THEN 'Psychiatry' ELSE 'ICU'
  END AS ward,
  CAST(stay AS INTEGER) AS length_of_stay,
  CAST(400 + 1900 * stay * (0.5 + v8) + 20000 * v4 * v4 * v4 * v4 AS DECIMAL(12, 2)) AS total_charges,
  CASE
    WHEN v1 < 0.003 THEN NULL
    ELSE SUBSTR('EIJKMNRSFGCADHLQZ', 1 + CAST(FLOOR(17 * v9 * v9) AS INTEGER), 1)
      || printf('%02d', CAST(FLOOR(40 * v10 * v10) AS INTEGER))
      || CASE WHEN v1 < 0.6 THEN '.' || CAST(FLOOR(10 * v1) AS INTEGER) ELSE '' END
  END AS diagnosis_code,
  v11 < 0.13 AS readmitted
FROM (
  SELECT
    *,
    DATE_DIFF('day', born, CAST('2024-01-01' AS DATE)) AS age,
    TIMESTAMP '2021-01-01 00:00:00' + TO_SECONDS(CAST(FLOOR(94608000 * (0.25 * v2 + 0.75 * SQRT(v2))) AS BIGINT)) AS admitted,
    FLOOR(22 * v3 * v3 * v3 * v3) AS stay
  FROM (
    SELECT
      *,
      CAST(d & 65535 AS DOUBLE) / 65536 AS v1,
      CAST((d >> 16) & 4294967295 AS DOUBLE) / 4294967296 AS v2,
      CAST((d >> 48) & 65535 AS DOUBLE) / 65536 AS v3,
      CAST(e & 65535 AS DOUBLE) / 65536 AS v4,
      CAST((e >> 16) & 65535 AS DOUBLE) / 65536 AS v5,
      CAST((e >> 32) & 65535 AS DOUBLE) / 65536 AS v6,
      CAST((e >> 48) & 65535 AS DOUBLE) / 65536 AS v7,
      CAST(g & 65535 AS DOUBLE) / 65536 AS v8,
      CAST((g >> 16) & 65535 AS DOUBLE) / 65536 AS v9,
      CAST((g >> 32) & 65535 AS DOUBLE) / 65536 AS v10,
      CAST((g >> 48) & 65535 AS DOUBLE) / 65536 AS v11
    FROM (
      SELECT
        *,
        md5_number_lower('v' || person || '-' || visit) AS d,
        md5_number_lower('w' || person || '-' || visit) AS e,
        md5_number_upper('v' || person || '-' || visit) AS g
      FROM (
        SELECT *, UNNEST(range(1 + CAST(FLOOR(16.55 * u6 * u6 * u6) AS INTEGER))) AS visit
        FROM (
          SELECT
            *,
            DATE '2023-06-01' - CAST(FLOOR(365.25 * 97 * u2 * (0.35 + 0.65 * u2)) AS INTEGER) AS born,
            CASE WHEN u4 < 0.66 THEN 'White' WHEN u4 < 0.82 THEN 'Black' WHEN u4 < 0.91 THEN 'Asian' WHEN u4 < 0.985 THEN 'Other' ELSE 'Native' END AS people,
            printf(
              '%05d',
              CAST(CASE WHEN u3 < 0.72 THEN 2100 WHEN u3 < 0.95 THEN 1400 ELSE 3000 + 7000 * FLOOR(10 * u5) END AS INTEGER)
                + CAST(FLOOR(90 * u11 * u11) AS INTEGER)
                + 100 * CAST(FLOOR(8 * u12 * u12 * u12) AS INTEGER)
            ) AS code
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
                md5_number_upper('c' || range) AS c
              FROM range(getvariable('hospital_persons'))
            ) AS hashed
          ) AS uniform
        ) AS people
      ) AS visits
    ) AS numbered
  ) AS drawn
) AS stayed
