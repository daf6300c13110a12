-- duckdb, postgres
CREATE TEMP TABLE "wards by; lot" AS
SELECT
  "ward 🏥" AS value,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x"
GROUP BY "ward 🏥"

-- spark
CREATE TEMP VIEW `wards by; lot` AS
SELECT
  `ward 🏥` AS value,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x`
GROUP BY `ward 🏥`
