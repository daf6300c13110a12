-- duckdb
DROP TYPE IF EXISTS "no'type"
