-- duckdb, postgres
CREATE TEMP TABLE "leaves-values" AS
SELECT
  p."place_0" AS "part_0",
  p."place_2" AS "part_2",
  p."spread_0",
  p."spread_1",
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM "tup;les" AS p
GROUP BY 1, 2, 3, 4

-- spark
CREATE TEMP VIEW `leaves-values` AS
SELECT
  p.`place_0` AS `part_0`,
  p.`place_2` AS `part_2`,
  p.`spread_0`,
  p.`spread_1`,
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM `tup;les` AS p
GROUP BY 1, 2, 3, 4
