-- duckdb, postgres
CREATE TEMP TABLE "domain SELECT" AS
SELECT
  "SELECT" AS value,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x"
GROUP BY "SELECT"

-- spark
CREATE TEMP VIEW `domain SELECT` AS
SELECT
  `SELECT` AS value,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x`
GROUP BY `SELECT`
