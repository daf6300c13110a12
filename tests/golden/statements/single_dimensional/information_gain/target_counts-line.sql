-- duckdb, postgres
CREATE TEMP TABLE "line of; --" AS
SELECT
  p."place_1" AS place,
  p.target,
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM "tup;les" AS p
GROUP BY p."place_1", p.target

-- spark
CREATE TEMP VIEW `line of; --` AS
SELECT
  p.`place_1` AS place,
  p.target,
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM `tup;les` AS p
GROUP BY p.`place_1`, p.target
