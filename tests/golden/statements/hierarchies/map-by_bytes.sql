-- duckdb
CREATE TEMP TABLE "map by bytes" AS
SELECT
  d.value,
  d.row_count,
  DENSE_RANK() OVER (PARTITION BY "level_1" ORDER BY CASE WHEN d.value IS NULL THEN 0 ELSE 1 END, encode(CAST("d"."value" AS VARCHAR)), d.value NULLS LAST) - 1 AS "ordinal_0",
  "level_1",
  "leaves_1",
  DENSE_RANK() OVER (PARTITION BY "level_2" ORDER BY CASE WHEN "level_1" IS NULL THEN 0 ELSE 1 END, encode(CAST("level_1" AS VARCHAR)), "level_1" NULLS LAST) - 1 AS "ordinal_1",
  "level_2",
  "leaves_2"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON CAST("d"."value" AS VARCHAR) IS NOT DISTINCT FROM "p"."value"

-- postgres
CREATE TEMP TABLE "map by bytes" AS
SELECT
  d.value,
  d.row_count,
  DENSE_RANK() OVER (PARTITION BY "level_1" ORDER BY CASE WHEN d.value IS NULL THEN 0 ELSE 1 END, (CAST("d"."value" AS TEXT) COLLATE "C"), d.value NULLS LAST) - 1 AS "ordinal_0",
  "level_1",
  "leaves_1",
  DENSE_RANK() OVER (PARTITION BY "level_2" ORDER BY CASE WHEN "level_1" IS NULL THEN 0 ELSE 1 END, (CAST("level_1" AS TEXT) COLLATE "C"), "level_1" NULLS LAST) - 1 AS "ordinal_1",
  "level_2",
  "leaves_2"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON ARRAY[CAST("d"."value" AS TEXT)] = ARRAY["p"."value"]

-- spark
CREATE TEMP VIEW `map by bytes` AS
SELECT
  d.value,
  d.row_count,
  DENSE_RANK() OVER (PARTITION BY `level_1` ORDER BY CASE WHEN d.value IS NULL THEN 0 ELSE 1 END, CAST(CAST(`d`.`value` AS STRING) AS BINARY), d.value NULLS LAST) - 1 AS `ordinal_0`,
  `level_1`,
  `leaves_1`,
  DENSE_RANK() OVER (PARTITION BY `level_2` ORDER BY CASE WHEN `level_1` IS NULL THEN 0 ELSE 1 END, CAST(CAST(`level_1` AS STRING) AS BINARY), `level_1` NULLS LAST) - 1 AS `ordinal_1`,
  `level_2`,
  `leaves_2`
FROM `domain zip; --` AS d
JOIN `complete zip; --` AS p
  ON CAST(`d`.`value` AS STRING) IS NOT DISTINCT FROM `p`.`value`
