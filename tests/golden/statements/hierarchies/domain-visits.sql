-- duckdb, postgres
CREATE TEMP TABLE "visits" AS
SELECT
  "vis.it" AS value,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x"
GROUP BY "vis.it"

-- spark
CREATE TEMP VIEW `visits` AS
SELECT
  `vis.it` AS value,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x`
GROUP BY `vis.it`
