-- duckdb
CREATE TEMP TABLE "line; 2" AS
SELECT
  value,
  place,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    value,
    CAST(CASE WHEN value IS NULL THEN -1 WHEN spot IS NOT NULL THEN nth END AS INTEGER) AS place,
    CASE WHEN spot IS NOT NULL THEN CAST("nth" AS DOUBLE) END AS measure
  FROM (
    SELECT
      value,
      spot,
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        encode(CAST("d"."value" AS VARCHAR)) AS spot
      FROM "domain se""x" AS d
    ) AS s
  ) AS r
) AS m

-- postgres
CREATE TEMP TABLE "line; 2" AS
SELECT
  value,
  place,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    value,
    CAST(CASE WHEN value IS NULL THEN -1 WHEN spot IS NOT NULL THEN nth END AS INTEGER) AS place,
    CASE WHEN spot IS NOT NULL THEN CAST("nth" AS DOUBLE PRECISION) END AS measure
  FROM (
    SELECT
      value,
      spot,
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        (CAST("d"."value" AS TEXT) COLLATE "C") AS spot
      FROM "domain se""x" AS d
    ) AS s
  ) AS r
) AS m

-- spark
CREATE TEMP VIEW `line; 2` AS
SELECT
  value,
  place,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    value,
    CAST(CASE WHEN value IS NULL THEN -1 WHEN spot IS NOT NULL THEN nth END AS INTEGER) AS place,
    CASE WHEN spot IS NOT NULL THEN CAST(`nth` AS DOUBLE) END AS measure
  FROM (
    SELECT
      value,
      spot,
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        CAST(CAST(`d`.`value` AS STRING) AS BINARY) AS spot
      FROM `domain se"x` AS d
    ) AS s
  ) AS r
) AS m
