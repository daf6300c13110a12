-- duckdb, postgres
CREATE TEMP TABLE "wa;rds" AS
SELECT
  "ward 🏥" AS value,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x"
GROUP BY "ward 🏥"

-- spark
CREATE TEMP VIEW `wa;rds` AS
SELECT
  `ward 🏥` AS value,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x`
GROUP BY `ward 🏥`
