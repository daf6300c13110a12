-- duckdb, postgres
SELECT
  0 AS number,
  COUNT(*) AS tuples,
  SUM(CASE WHEN row_count = 1 THEN 1 ELSE 0 END) AS unique_rows,
  SUM(row_count * (row_count - 1)) AS equal_pairs
FROM (
  SELECT COUNT(*) AS row_count
  FROM "sample of columns" AS s
  GROUP BY "s"."se""x"
) AS t
UNION ALL
SELECT
  1 AS number,
  COUNT(*) AS tuples,
  SUM(CASE WHEN row_count = 1 THEN 1 ELSE 0 END) AS unique_rows,
  SUM(row_count * (row_count - 1)) AS equal_pairs
FROM (
  SELECT COUNT(*) AS row_count
  FROM "sample of columns" AS s
  GROUP BY "s"."se""x", "s"."zip; --"
) AS t
ORDER BY number

-- spark
SELECT
  0 AS number,
  COUNT(*) AS tuples,
  SUM(CASE WHEN row_count = 1 THEN 1 ELSE 0 END) AS unique_rows,
  SUM(row_count * (row_count - 1)) AS equal_pairs
FROM (
  SELECT COUNT(*) AS row_count
  FROM `sample of columns` AS s
  GROUP BY `s`.`se"x`
) AS t
UNION ALL
SELECT
  1 AS number,
  COUNT(*) AS tuples,
  SUM(CASE WHEN row_count = 1 THEN 1 ELSE 0 END) AS unique_rows,
  SUM(row_count * (row_count - 1)) AS equal_pairs
FROM (
  SELECT COUNT(*) AS row_count
  FROM `sample of columns` AS s
  GROUP BY `s`.`se"x`, `s`.`zip; --`
) AS t
ORDER BY number
