-- duckdb
CREATE TEMP TABLE "matched paths-numbers" AS
SELECT
  COALESCE(d.spelled, e.value) AS value,
  "e"."level_1",
  "e"."level_2"
FROM (
  SELECT
    MIN(MIN(value)) OVER (PARTITION BY form) AS value,
    form,
    "level_1",
    "level_2"
  FROM (
    SELECT
      p.*,
      COALESCE('n' || CAST(CASE WHEN regexp_full_match(CAST("p"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("p"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000000000000 + CAST(FLOOR((TRY_CAST(CAST("p"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("p"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000000000000) AS HUGEINT) END AS VARCHAR), 't' || LOWER("p"."value")) AS form
    FROM "paths SELECT" AS p
  ) AS f
  GROUP BY form, "level_1", "level_2"
) AS e
LEFT JOIN (
  SELECT
    spelled,
    COALESCE('n' || CAST(CASE WHEN regexp_full_match(CAST("s"."spelled" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("s"."spelled" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000000000000 + CAST(FLOOR((TRY_CAST(CAST("s"."spelled" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("s"."spelled" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000000000000) AS HUGEINT) END AS VARCHAR), 't' || LOWER("s"."spelled")) AS form
  FROM (SELECT CAST("v"."value" AS VARCHAR) AS spelled FROM "domain SELECT" AS v WHERE value IS NOT NULL) AS s
) AS d ON d.form = e.form

-- postgres
CREATE TEMP TABLE "matched paths-numbers" AS
SELECT
  COALESCE(d.spelled, e.value) AS value,
  "e"."level_1",
  "e"."level_2"
FROM (
  SELECT
    MIN(MIN(value)) OVER (PARTITION BY form) AS value,
    form,
    "level_1",
    "level_2"
  FROM (
    SELECT
      p.*,
      COALESCE('n' || CAST(CASE WHEN CASE WHEN CAST("p"."value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("p"."value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("p"."value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000000000000000) END AS TEXT), 't' || LOWER("p"."value")) AS form
    FROM "paths SELECT" AS p
  ) AS f
  GROUP BY form, "level_1", "level_2"
) AS e
LEFT JOIN (
  SELECT
    spelled,
    COALESCE('n' || CAST(CASE WHEN CASE WHEN CAST("s"."spelled" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("s"."spelled" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("s"."spelled" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000000000000000) END AS TEXT), 't' || LOWER("s"."spelled")) AS form
  FROM (SELECT CAST("v"."value" AS TEXT) AS spelled FROM "domain SELECT" AS v WHERE value IS NOT NULL) AS s
) AS d ON d.form = e.form

-- spark
CREATE TEMP VIEW `matched paths-numbers` AS
SELECT
  COALESCE(d.spelled, e.value) AS value,
  `e`.`level_1`,
  `e`.`level_2`
FROM (
  SELECT
    MIN(MIN(value)) OVER (PARTITION BY form) AS value,
    form,
    `level_1`,
    `level_2`
  FROM (
    SELECT
      p.*,
      COALESCE('n' || CAST(CASE WHEN REGEXP_EXTRACT(CAST(`p`.`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`p`.`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`p`.`value` AS STRING) AS DECIMAL(30, 15)) * 1000000000000000) AS DECIMAL(38, 0)) END AS STRING), 't' || LOWER(`p`.`value`)) AS form
    FROM `paths SELECT` AS p
  ) AS f
  GROUP BY form, `level_1`, `level_2`
) AS e
LEFT JOIN (
  SELECT
    spelled,
    COALESCE('n' || CAST(CASE WHEN REGEXP_EXTRACT(CAST(`s`.`spelled` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`s`.`spelled` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`s`.`spelled` AS STRING) AS DECIMAL(30, 15)) * 1000000000000000) AS DECIMAL(38, 0)) END AS STRING), 't' || LOWER(`s`.`spelled`)) AS form
  FROM (SELECT CAST(`v`.`value` AS STRING) AS spelled FROM `domain SELECT` AS v WHERE value IS NOT NULL) AS s
) AS d ON d.form = e.form
