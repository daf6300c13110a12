-- duckdb, postgres
CREATE TEMP TABLE "fewer-people" AS
SELECT
  CASE
    WHEN b."part_0" BETWEEN 0 AND 1 THEN 0
    WHEN b."part_0" BETWEEN 2 AND 2 THEN 2
    ELSE b."part_0"
  END AS "part_0",
  b."part_2",
  b."entity",
  CAST(SUM(b.row_count) AS BIGINT) AS row_count
FROM "leaves-people" AS b
GROUP BY 1, 2, 3

-- spark
CREATE TEMP VIEW `fewer-people` AS
SELECT
  CASE
    WHEN b.`part_0` BETWEEN 0 AND 1 THEN 0
    WHEN b.`part_0` BETWEEN 2 AND 2 THEN 2
    ELSE b.`part_0`
  END AS `part_0`,
  b.`part_2`,
  b.`entity`,
  CAST(SUM(b.row_count) AS BIGINT) AS row_count
FROM `leaves-people` AS b
GROUP BY 1, 2, 3
