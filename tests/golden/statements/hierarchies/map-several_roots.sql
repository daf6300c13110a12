-- duckdb
CREATE TEMP TABLE "map of several" AS
SELECT
  d.value,
  d.row_count,
  DENSE_RANK() OVER (PARTITION BY "level_1" ORDER BY d.value NULLS LAST) - 1 AS "ordinal_0",
  "level_1",
  "leaves_1",
  DENSE_RANK() OVER (ORDER BY "level_1" NULLS LAST) - 1 AS "ordinal_1"
FROM "domain SELECT" AS d
JOIN "complete SELECT" AS p
  ON CAST("d"."value" AS VARCHAR) IS NOT DISTINCT FROM "p"."value"

-- postgres
CREATE TEMP TABLE "map of several" AS
SELECT
  d.value,
  d.row_count,
  DENSE_RANK() OVER (PARTITION BY "level_1" ORDER BY d.value NULLS LAST) - 1 AS "ordinal_0",
  "level_1",
  "leaves_1",
  DENSE_RANK() OVER (ORDER BY "level_1" NULLS LAST) - 1 AS "ordinal_1"
FROM "domain SELECT" AS d
JOIN "complete SELECT" AS p
  ON ARRAY[CAST("d"."value" AS TEXT)] = ARRAY["p"."value"]

-- spark
CREATE TEMP VIEW `map of several` AS
SELECT
  d.value,
  d.row_count,
  DENSE_RANK() OVER (PARTITION BY `level_1` ORDER BY d.value NULLS LAST) - 1 AS `ordinal_0`,
  `level_1`,
  `leaves_1`,
  DENSE_RANK() OVER (ORDER BY `level_1` NULLS LAST) - 1 AS `ordinal_1`
FROM `domain SELECT` AS d
JOIN `complete SELECT` AS p
  ON CAST(`d`.`value` AS STRING) IS NOT DISTINCT FROM `p`.`value`
