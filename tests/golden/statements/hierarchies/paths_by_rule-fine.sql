-- duckdb
CREATE TEMP TABLE "fine" AS
SELECT
  value,
  CASE
    WHEN odd IS NOT NULL THEN odd
    WHEN place IS NULL THEN NULL
    WHEN place < -150 THEN '< -1.50'
    WHEN place >= 6025 THEN '>= 60.25'
    ELSE CONCAT('[', "low_1" * 0.01, ', ', "high_1" * 0.01, ')')
  END AS "level_1",
  CAST("low_1" * 0.01 AS DECIMAL(38, 2)) AS "low_1",
  CAST("high_1" * 0.01 AS DECIMAL(38, 2)) AS "high_1",
  CASE WHEN value IS NOT NULL AND place IS NULL AND odd IS NULL THEN NULL ELSE '*' END AS "level_2"
FROM (
  SELECT
    value,
    odd,
    place,
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place < -150 THEN NULL
      WHEN place >= 6025 THEN 6025
      ELSE GREATEST("start_1", -150)
    END AS "low_1",
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place < -150 THEN -150
      WHEN place >= 6025 THEN NULL
      ELSE LEAST("start_1" + 250, 6025)
    END AS "high_1"
  FROM (
    SELECT
      value,
      odd,
      CAST(place - ((place - 50) % 250 + 250) % 250 AS DECIMAL(24, 0)) AS "start_1",
      CAST(place AS DECIMAL(24, 0)) AS place
    FROM (
      SELECT
        value,
        CASE
          WHEN LOWER(CAST("value" AS VARCHAR)) IN ('nan', 'inf', '-inf', 'infinity', '-infinity')
            THEN REPLACE(LOWER(CAST("value" AS VARCHAR)), 'infinity', 'inf')
        END AS odd,
        CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 100 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 100) AS HUGEINT) END AS place
      FROM "domain age
of 👩" AS d
    ) AS p
  ) AS s
) AS b

-- postgres
CREATE TEMP TABLE "fine" AS
SELECT
  value,
  CASE
    WHEN odd IS NOT NULL THEN odd
    WHEN place IS NULL THEN NULL
    WHEN place < -150 THEN '< -1.50'
    WHEN place >= 6025 THEN '>= 60.25'
    ELSE CONCAT('[', "low_1" * 0.01, ', ', "high_1" * 0.01, ')')
  END AS "level_1",
  CAST("low_1" * 0.01 AS DECIMAL(38, 2)) AS "low_1",
  CAST("high_1" * 0.01 AS DECIMAL(38, 2)) AS "high_1",
  CASE WHEN value IS NOT NULL AND place IS NULL AND odd IS NULL THEN NULL ELSE '*' END AS "level_2"
FROM (
  SELECT
    value,
    odd,
    place,
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place < -150 THEN NULL
      WHEN place >= 6025 THEN 6025
      ELSE GREATEST("start_1", -150)
    END AS "low_1",
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place < -150 THEN -150
      WHEN place >= 6025 THEN NULL
      ELSE LEAST("start_1" + 250, 6025)
    END AS "high_1"
  FROM (
    SELECT
      value,
      odd,
      CAST(place - ((place - 50) % 250 + 250) % 250 AS DECIMAL(24, 0)) AS "start_1",
      CAST(place AS DECIMAL(24, 0)) AS place
    FROM (
      SELECT
        value,
        CASE
          WHEN LOWER(CAST("value" AS TEXT)) IN ('nan', 'inf', '-inf', 'infinity', '-infinity')
            THEN REPLACE(LOWER(CAST("value" AS TEXT)), 'infinity', 'inf')
        END AS odd,
        CASE WHEN CASE WHEN CAST("value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 100) END AS place
      FROM "domain age
of 👩" AS d
    ) AS p
  ) AS s
) AS b

-- spark
CREATE TEMP VIEW `fine` AS
SELECT
  value,
  CASE
    WHEN odd IS NOT NULL THEN odd
    WHEN place IS NULL THEN NULL
    WHEN place < -150 THEN '< -1.50'
    WHEN place >= 6025 THEN '>= 60.25'
    ELSE CONCAT('[', `low_1` * 0.01, ', ', `high_1` * 0.01, ')')
  END AS `level_1`,
  CAST(`low_1` * 0.01 AS DECIMAL(38, 2)) AS `low_1`,
  CAST(`high_1` * 0.01 AS DECIMAL(38, 2)) AS `high_1`,
  CASE WHEN value IS NOT NULL AND place IS NULL AND odd IS NULL THEN NULL ELSE '*' END AS `level_2`
FROM (
  SELECT
    value,
    odd,
    place,
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place < -150 THEN NULL
      WHEN place >= 6025 THEN 6025
      ELSE GREATEST(`start_1`, -150)
    END AS `low_1`,
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place < -150 THEN -150
      WHEN place >= 6025 THEN NULL
      ELSE LEAST(`start_1` + 250, 6025)
    END AS `high_1`
  FROM (
    SELECT
      value,
      odd,
      CAST(place - ((place - 50) % 250 + 250) % 250 AS DECIMAL(24, 0)) AS `start_1`,
      CAST(place AS DECIMAL(24, 0)) AS place
    FROM (
      SELECT
        value,
        CASE
          WHEN LOWER(CAST(`value` AS STRING)) IN ('nan', 'inf', '-inf', 'infinity', '-infinity')
            THEN REPLACE(LOWER(CAST(`value` AS STRING)), 'infinity', 'inf')
        END AS odd,
        CASE WHEN REGEXP_EXTRACT(CAST(`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`value` AS STRING) AS DECIMAL(30, 15)) * 100) AS DECIMAL(38, 0)) END AS place
      FROM `domain age
of 👩` AS d
    ) AS p
  ) AS s
) AS b
