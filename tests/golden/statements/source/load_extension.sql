-- duckdb
LOAD "json"
