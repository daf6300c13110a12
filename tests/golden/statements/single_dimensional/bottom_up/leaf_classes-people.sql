-- duckdb, postgres
CREATE TEMP TABLE "leaves-people" AS
SELECT
  p."place_0" AS "part_0",
  p."place_2" AS "part_2",
  p."entity",
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM "tup;les" AS p
GROUP BY 1, 2, 3

-- spark
CREATE TEMP VIEW `leaves-people` AS
SELECT
  p.`place_0` AS `part_0`,
  p.`place_2` AS `part_2`,
  p.`entity`,
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM `tup;les` AS p
GROUP BY 1, 2, 3
