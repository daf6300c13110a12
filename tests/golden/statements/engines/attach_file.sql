-- duckdb
ATTACH 'fre''sh.duckdb' AS "fre""sh"
