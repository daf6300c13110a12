-- duckdb, postgres
CREATE TEMP TABLE "lar'ge" AS
SELECT r.*
FROM "re'gions" AS r
WHERE row_count > 3

-- spark
CREATE TEMP VIEW `lar'ge` AS
SELECT r.*
FROM `re'gions` AS r
WHERE row_count > 3
