-- duckdb, postgres
CREATE TEMP TABLE "domain of both" AS
SELECT
  value,
  SUM(row_count) AS row_count
FROM (
  SELECT
    "se""x" AS value,
    1 AS row_count
  FROM "the source; DROP TABLE x" AS s
  UNION ALL
  SELECT
    "se""x" AS value,
    0 AS row_count
  FROM "the source; DROP TABLE x" AS p
) AS b
GROUP BY value

-- spark
CREATE TEMP VIEW `domain of both` AS
SELECT
  value,
  SUM(row_count) AS row_count
FROM (
  SELECT
    `se"x` AS value,
    1 AS row_count
  FROM `the source; DROP TABLE x` AS s
  UNION ALL
  SELECT
    `se"x` AS value,
    0 AS row_count
  FROM `the source; DROP TABLE x` AS p
) AS b
GROUP BY value
