-- duckdb
COPY FROM DATABASE "memory" TO "fre""sh"
