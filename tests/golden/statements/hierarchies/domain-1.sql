-- duckdb, postgres
CREATE TEMP TABLE "domain zip; --" AS
SELECT
  "zip; --" AS value,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x"
GROUP BY "zip; --"

-- spark
CREATE TEMP VIEW `domain zip; --` AS
SELECT
  `zip; --` AS value,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x`
GROUP BY `zip; --`
