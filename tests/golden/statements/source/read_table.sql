-- duckdb, postgres
CREATE TEMP VIEW "from table" AS
SELECT *
FROM "sniffed"

-- spark
CREATE TEMP VIEW `from table` AS
SELECT *
FROM `sniffed`
