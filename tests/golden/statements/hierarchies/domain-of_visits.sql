-- duckdb, postgres
CREATE TEMP TABLE "domain of visits" AS
SELECT
  "vis.it" AS value,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x"
GROUP BY "vis.it"

-- spark
CREATE TEMP VIEW `domain of visits` AS
SELECT
  `vis.it` AS value,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x`
GROUP BY `vis.it`
