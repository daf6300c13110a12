-- duckdb
RESET search_path

-- postgres
COMMIT
