-- duckdb
CREATE TEMP TABLE "uni'ts-parts" AS
SELECT
  CAST(ROW_NUMBER() OVER (ORDER BY low) - 1 AS INTEGER) AS place,
  low,
  high,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    low,
    CAST(low + 2.5 AS DECIMAL(38, 1)) AS high,
    CAST("low" AS DOUBLE) AS measure
  FROM (
    SELECT
      low
    FROM (
      SELECT low
      FROM (
SELECT
  value,
  CAST((spot - (spot % 25 + 25) % 25) * 0.1 AS DECIMAL(38, 1)) AS low
FROM (
  SELECT value, CAST(CASE WHEN regexp_full_match(CAST("d"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 10 + CAST(FLOOR((TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 10) AS HUGEINT) END AS DECIMAL(24, 0)) AS spot
  FROM "domain of ages" AS d
) AS s      ) AS o
      GROUP BY low
    ) AS b
    WHERE low IS NOT NULL
  ) AS e
) AS u

-- postgres
CREATE TEMP TABLE "uni'ts-parts" AS
SELECT
  CAST(ROW_NUMBER() OVER (ORDER BY low) - 1 AS INTEGER) AS place,
  low,
  high,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    low,
    CAST(low + 2.5 AS DECIMAL(38, 1)) AS high,
    CAST("low" AS DOUBLE PRECISION) AS measure
  FROM (
    SELECT
      low
    FROM (
      SELECT low
      FROM (
SELECT
  value,
  CAST((spot - (spot % 25 + 25) % 25) * 0.1 AS DECIMAL(38, 1)) AS low
FROM (
  SELECT value, CAST(CASE WHEN CASE WHEN CAST("d"."value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("d"."value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("d"."value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 10) END AS DECIMAL(24, 0)) AS spot
  FROM "domain of ages" AS d
) AS s      ) AS o
      GROUP BY low
    ) AS b
    WHERE low IS NOT NULL
  ) AS e
) AS u

-- spark
CREATE TEMP VIEW `uni'ts-parts` AS
SELECT
  CAST(ROW_NUMBER() OVER (ORDER BY low) - 1 AS INTEGER) AS place,
  low,
  high,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    low,
    CAST(low + 2.5 AS DECIMAL(38, 1)) AS high,
    CAST(`low` AS DOUBLE) AS measure
  FROM (
    SELECT
      low
    FROM (
      SELECT low
      FROM (
SELECT
  value,
  CAST((spot - (spot % 25 + 25) % 25) * 0.1 AS DECIMAL(38, 1)) AS low
FROM (
  SELECT value, CAST(CASE WHEN REGEXP_EXTRACT(CAST(`d`.`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`d`.`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`d`.`value` AS STRING) AS DECIMAL(30, 15)) * 10) AS DECIMAL(38, 0)) END AS DECIMAL(24, 0)) AS spot
  FROM `domain of ages` AS d
) AS s      ) AS o
      GROUP BY low
    ) AS b
    WHERE low IS NOT NULL
  ) AS e
) AS u
