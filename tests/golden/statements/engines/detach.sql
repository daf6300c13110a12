-- duckdb
DETACH "fre""sh"
