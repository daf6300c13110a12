-- attach_file
ATTACH 'fre''sh.duckdb' AS "fre""sh"
