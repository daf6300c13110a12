-- duckdb, postgres
CREATE TEMP VIEW "from query" AS
SELECT "se""x" AS Sex, 'it''s' FROM "from table"

-- spark
CREATE TEMP VIEW `from query` AS
SELECT `se"x` AS Sex, 'it\'s' FROM `from table`
