-- duckdb
WITH "kanon_domain" AS (
  SELECT DISTINCT "s"."age
of 👩" AS value
  FROM "the source; DROP TABLE x" AS s
)
SELECT
  value,
  CASE
    WHEN odd IS NOT NULL THEN odd
    WHEN place IS NULL THEN NULL
    WHEN place >= 60 THEN '>= 60'
    ELSE CONCAT('[', "low_1", ', ', "high_1", ')')
  END AS "level_1",
  CAST("low_1" AS BIGINT) AS "low_1",
  CAST("high_1" AS BIGINT) AS "high_1",
  CASE
    WHEN odd IS NOT NULL THEN odd
    WHEN place IS NULL THEN NULL
    WHEN place >= 60 THEN '>= 60'
    ELSE CONCAT('[', "low_2", ', ', "high_2", ')')
  END AS "level_2",
  CAST("low_2" AS BIGINT) AS "low_2",
  CAST("high_2" AS BIGINT) AS "high_2",
  CASE WHEN value IS NOT NULL AND place IS NULL AND odd IS NULL THEN NULL ELSE '*' END AS "level_3"
FROM (
  SELECT
    value,
    odd,
    place,
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place >= 60 THEN 60
      ELSE "start_1"
    END AS "low_1",
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place >= 60 THEN NULL
      ELSE LEAST("start_1" + 10, 60)
    END AS "high_1",
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place >= 60 THEN 60
      ELSE "start_2"
    END AS "low_2",
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place >= 60 THEN NULL
      ELSE LEAST("start_2" + 30, 60)
    END AS "high_2"
  FROM (
    SELECT
      value,
      odd,
      CAST(place - ((place - 0) % 10 + 10) % 10 AS DECIMAL(24, 0)) AS "start_1",
      CAST(place - ((place - 0) % 30 + 30) % 30 AS DECIMAL(24, 0)) AS "start_2",
      CAST(place AS DECIMAL(24, 0)) AS place
    FROM (
      SELECT
        value,
        CASE
          WHEN LOWER(CAST("value" AS VARCHAR)) IN ('nan', 'inf', '-inf', 'infinity', '-infinity')
            THEN REPLACE(LOWER(CAST("value" AS VARCHAR)), 'infinity', 'inf')
        END AS odd,
        CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1) AS HUGEINT) END AS place
      FROM "kanon_domain" AS d
    ) AS p
  ) AS s
) AS b

-- postgres
WITH "kanon_domain" AS (
  SELECT DISTINCT "s"."age
of 👩" AS value
  FROM "the source; DROP TABLE x" AS s
)
SELECT
  value,
  CASE
    WHEN odd IS NOT NULL THEN odd
    WHEN place IS NULL THEN NULL
    WHEN place >= 60 THEN '>= 60'
    ELSE CONCAT('[', "low_1", ', ', "high_1", ')')
  END AS "level_1",
  CAST("low_1" AS BIGINT) AS "low_1",
  CAST("high_1" AS BIGINT) AS "high_1",
  CASE
    WHEN odd IS NOT NULL THEN odd
    WHEN place IS NULL THEN NULL
    WHEN place >= 60 THEN '>= 60'
    ELSE CONCAT('[', "low_2", ', ', "high_2", ')')
  END AS "level_2",
  CAST("low_2" AS BIGINT) AS "low_2",
  CAST("high_2" AS BIGINT) AS "high_2",
  CASE WHEN value IS NOT NULL AND place IS NULL AND odd IS NULL THEN NULL ELSE '*' END AS "level_3"
FROM (
  SELECT
    value,
    odd,
    place,
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place >= 60 THEN 60
      ELSE "start_1"
    END AS "low_1",
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place >= 60 THEN NULL
      ELSE LEAST("start_1" + 10, 60)
    END AS "high_1",
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place >= 60 THEN 60
      ELSE "start_2"
    END AS "low_2",
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place >= 60 THEN NULL
      ELSE LEAST("start_2" + 30, 60)
    END AS "high_2"
  FROM (
    SELECT
      value,
      odd,
      CAST(place - ((place - 0) % 10 + 10) % 10 AS DECIMAL(24, 0)) AS "start_1",
      CAST(place - ((place - 0) % 30 + 30) % 30 AS DECIMAL(24, 0)) AS "start_2",
      CAST(place AS DECIMAL(24, 0)) AS place
    FROM (
      SELECT
        value,
        CASE
          WHEN LOWER(CAST("value" AS TEXT)) IN ('nan', 'inf', '-inf', 'infinity', '-infinity')
            THEN REPLACE(LOWER(CAST("value" AS TEXT)), 'infinity', 'inf')
        END AS odd,
        CASE WHEN CASE WHEN CAST("value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1) END AS place
      FROM "kanon_domain" AS d
    ) AS p
  ) AS s
) AS b

-- spark
WITH `kanon_domain` AS (
  SELECT DISTINCT `s`.`age
of 👩` AS value
  FROM `the source; DROP TABLE x` AS s
)
SELECT
  value,
  CASE
    WHEN odd IS NOT NULL THEN odd
    WHEN place IS NULL THEN NULL
    WHEN place >= 60 THEN '>= 60'
    ELSE CONCAT('[', `low_1`, ', ', `high_1`, ')')
  END AS `level_1`,
  CAST(`low_1` AS BIGINT) AS `low_1`,
  CAST(`high_1` AS BIGINT) AS `high_1`,
  CASE
    WHEN odd IS NOT NULL THEN odd
    WHEN place IS NULL THEN NULL
    WHEN place >= 60 THEN '>= 60'
    ELSE CONCAT('[', `low_2`, ', ', `high_2`, ')')
  END AS `level_2`,
  CAST(`low_2` AS BIGINT) AS `low_2`,
  CAST(`high_2` AS BIGINT) AS `high_2`,
  CASE WHEN value IS NOT NULL AND place IS NULL AND odd IS NULL THEN NULL ELSE '*' END AS `level_3`
FROM (
  SELECT
    value,
    odd,
    place,
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place >= 60 THEN 60
      ELSE `start_1`
    END AS `low_1`,
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place >= 60 THEN NULL
      ELSE LEAST(`start_1` + 10, 60)
    END AS `high_1`,
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place >= 60 THEN 60
      ELSE `start_2`
    END AS `low_2`,
    CASE
      WHEN place IS NULL THEN NULL
      WHEN place >= 60 THEN NULL
      ELSE LEAST(`start_2` + 30, 60)
    END AS `high_2`
  FROM (
    SELECT
      value,
      odd,
      CAST(place - ((place - 0) % 10 + 10) % 10 AS DECIMAL(24, 0)) AS `start_1`,
      CAST(place - ((place - 0) % 30 + 30) % 30 AS DECIMAL(24, 0)) AS `start_2`,
      CAST(place AS DECIMAL(24, 0)) AS place
    FROM (
      SELECT
        value,
        CASE
          WHEN LOWER(CAST(`value` AS STRING)) IN ('nan', 'inf', '-inf', 'infinity', '-infinity')
            THEN REPLACE(LOWER(CAST(`value` AS STRING)), 'infinity', 'inf')
        END AS odd,
        CASE WHEN REGEXP_EXTRACT(CAST(`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`value` AS STRING) AS DECIMAL(30, 15)) * 1) AS DECIMAL(38, 0)) END AS place
      FROM `kanon_domain` AS d
    ) AS p
  ) AS s
) AS b
