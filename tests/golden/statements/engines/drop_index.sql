-- duckdb
DROP INDEX "main"."i""x"
