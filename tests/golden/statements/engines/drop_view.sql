-- duckdb, postgres
DROP VIEW IF EXISTS "read back"

-- spark
DROP VIEW IF EXISTS `read back`
