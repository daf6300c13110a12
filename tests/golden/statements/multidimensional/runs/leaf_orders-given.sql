-- duckdb, postgres
CREATE TEMP TABLE "one ord'er" AS
SELECT
  r.region,
  r.row_count AS leaf_rows,
  CAST(SUM(r.row_count) OVER (ORDER BY r.region ROWS UNBOUNDED PRECEDING) AS BIGINT) - r.row_count AS first_row,
  a."radix_0",
  a."radix_1",
  a."radix_2"
FROM "re'gions" AS r
JOIN (
  SELECT
    region,
    MAX(CASE WHEN axis = 2 THEN radix END) AS "radix_0",
    MAX(CASE WHEN axis = 0 THEN radix END) AS "radix_1",
    MAX(CASE WHEN axis = 1 THEN radix END) AS "radix_2"
  FROM (
    SELECT region, axis, COUNT(*) AS radix
    FROM "ra'nks" AS k
    GROUP BY region, axis
  ) AS o
  GROUP BY region
) AS a
  ON a.region = r.region

-- spark
CREATE TEMP VIEW `one ord'er` AS
SELECT
  r.region,
  r.row_count AS leaf_rows,
  CAST(SUM(r.row_count) OVER (ORDER BY r.region ROWS UNBOUNDED PRECEDING) AS BIGINT) - r.row_count AS first_row,
  a.`radix_0`,
  a.`radix_1`,
  a.`radix_2`
FROM `re'gions` AS r
JOIN (
  SELECT
    region,
    MAX(CASE WHEN axis = 2 THEN radix END) AS `radix_0`,
    MAX(CASE WHEN axis = 0 THEN radix END) AS `radix_1`,
    MAX(CASE WHEN axis = 1 THEN radix END) AS `radix_2`
  FROM (
    SELECT region, axis, COUNT(*) AS radix
    FROM `ra'nks` AS k
    GROUP BY region, axis
  ) AS o
  GROUP BY region
) AS a
  ON a.region = r.region
