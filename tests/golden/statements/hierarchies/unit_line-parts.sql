-- duckdb
CREATE TEMP TABLE "line by units-parts" AS
SELECT
  o.value,
  CASE WHEN o.value IS NULL THEN CAST(-1 AS INTEGER) ELSE u.place END AS place,
  u.measure,
  u.span
FROM (
SELECT
  value,
  CAST((spot - (spot % 25 + 25) % 25) * 0.1 AS DECIMAL(38, 1)) AS low
FROM (
  SELECT value, CAST(CASE WHEN regexp_full_match(CAST("d"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 10 + CAST(FLOOR((TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 10) AS HUGEINT) END AS DECIMAL(24, 0)) AS spot
  FROM "domain of ages" AS d
) AS s) AS o
LEFT JOIN "uni'ts-parts" AS u ON u.low = o.low

-- postgres
CREATE TEMP TABLE "line by units-parts" AS
SELECT
  o.value,
  CASE WHEN o.value IS NULL THEN CAST(-1 AS INTEGER) ELSE u.place END AS place,
  u.measure,
  u.span
FROM (
SELECT
  value,
  CAST((spot - (spot % 25 + 25) % 25) * 0.1 AS DECIMAL(38, 1)) AS low
FROM (
  SELECT value, CAST(CASE WHEN CASE WHEN CAST("d"."value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("d"."value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("d"."value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 10) END AS DECIMAL(24, 0)) AS spot
  FROM "domain of ages" AS d
) AS s) AS o
LEFT JOIN "uni'ts-parts" AS u ON u.low = o.low

-- spark
CREATE TEMP VIEW `line by units-parts` AS
SELECT
  o.value,
  CASE WHEN o.value IS NULL THEN CAST(-1 AS INTEGER) ELSE u.place END AS place,
  u.measure,
  u.span
FROM (
SELECT
  value,
  CAST((spot - (spot % 25 + 25) % 25) * 0.1 AS DECIMAL(38, 1)) AS low
FROM (
  SELECT value, CAST(CASE WHEN REGEXP_EXTRACT(CAST(`d`.`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`d`.`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`d`.`value` AS STRING) AS DECIMAL(30, 15)) * 10) AS DECIMAL(38, 0)) END AS DECIMAL(24, 0)) AS spot
  FROM `domain of ages` AS d
) AS s) AS o
LEFT JOIN `uni'ts-parts` AS u ON u.low = o.low
