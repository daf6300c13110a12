-- duckdb, postgres
CREATE TEMP TABLE "un'cut-none" AS
SELECT r.*
FROM (
  SELECT * FROM "re'gions" AS p
) AS r

-- spark
CREATE TEMP VIEW `un'cut-none` AS
SELECT r.*
FROM (
  SELECT * FROM `re'gions` AS p
) AS r
