-- duckdb, postgres
CREATE TEMP TABLE "leaves-people" AS
SELECT
  b."place_0" AS "part_0",
  b."place_2" AS "part_2",
  b.entity,
  CAST(SUM(b.row_count) AS BIGINT) AS row_count
FROM "tup;les" AS b
GROUP BY 1, 2, 3

-- spark
CREATE TEMP VIEW `leaves-people` AS
SELECT
  b.`place_0` AS `part_0`,
  b.`place_2` AS `part_2`,
  b.entity,
  CAST(SUM(b.row_count) AS BIGINT) AS row_count
FROM `tup;les` AS b
GROUP BY 1, 2, 3
