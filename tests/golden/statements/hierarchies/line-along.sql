-- duckdb
CREATE TEMP TABLE "line al'ong" AS
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
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, "branch_2", "branch_1", spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        encode(CAST("p"."level_2" AS VARCHAR)) AS "branch_2",
        encode(CAST("p"."level_1" AS VARCHAR)) AS "branch_1",
        CASE WHEN p.value IS NOT NULL THEN encode(CAST("d"."value" AS VARCHAR)) END AS spot
      FROM "domain SELECT" AS d
      LEFT JOIN "complete SELECT" AS p ON CAST("d"."value" AS VARCHAR) IS NOT DISTINCT FROM "p"."value"
    ) AS s
  ) AS r
) AS m

-- postgres
CREATE TEMP TABLE "line al'ong" AS
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
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, "branch_2", "branch_1", spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        (CAST("p"."level_2" AS TEXT) COLLATE "C") AS "branch_2",
        (CAST("p"."level_1" AS TEXT) COLLATE "C") AS "branch_1",
        CASE WHEN p.value IS NOT NULL THEN (CAST("d"."value" AS TEXT) COLLATE "C") END AS spot
      FROM "domain SELECT" AS d
      LEFT JOIN "complete SELECT" AS p ON ARRAY[CAST("d"."value" AS TEXT)] = ARRAY["p"."value"]
    ) AS s
  ) AS r
) AS m

-- spark
CREATE TEMP VIEW `line al'ong` AS
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
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, `branch_2`, `branch_1`, spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        CAST(CAST(`p`.`level_2` AS STRING) AS BINARY) AS `branch_2`,
        CAST(CAST(`p`.`level_1` AS STRING) AS BINARY) AS `branch_1`,
        CASE WHEN p.value IS NOT NULL THEN CAST(CAST(`d`.`value` AS STRING) AS BINARY) END AS spot
      FROM `domain SELECT` AS d
      LEFT JOIN `complete SELECT` AS p ON CAST(`d`.`value` AS STRING) IS NOT DISTINCT FROM `p`.`value`
    ) AS s
  ) AS r
) AS m
