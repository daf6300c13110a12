-- duckdb, postgres
CREATE TEMP TABLE "un'cut" AS
SELECT r.*
FROM "re'gions" AS r
WHERE NOT EXISTS (SELECT 1 FROM "cuts; 0" AS c WHERE c.region = r.region) AND NOT EXISTS (SELECT 1 FROM "cuts; 1" AS c WHERE c.region = r.region)

-- spark
CREATE TEMP VIEW `un'cut` AS
SELECT r.*
FROM `re'gions` AS r
WHERE NOT EXISTS (SELECT 1 FROM `cuts; 0` AS c WHERE c.region = r.region) AND NOT EXISTS (SELECT 1 FROM `cuts; 1` AS c WHERE c.region = r.region)
