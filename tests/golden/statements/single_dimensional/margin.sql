-- duckdb, postgres
CREATE TEMP TABLE "margin of; --" AS
SELECT
  p."place_0" AS place,
  p.target,
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM "tup;les" AS p
GROUP BY p."place_0", p.target

-- spark
CREATE TEMP VIEW `margin of; --` AS
SELECT
  p.`place_0` AS place,
  p.target,
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM `tup;les` AS p
GROUP BY p.`place_0`, p.target
