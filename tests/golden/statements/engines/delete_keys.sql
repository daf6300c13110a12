-- duckdb, postgres
DELETE FROM "kept; keys"

-- spark
DELETE FROM `kept; keys`
