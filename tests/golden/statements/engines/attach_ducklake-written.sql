-- duckdb
ATTACH 'ducklake:ca''talog' AS "la""ke" (CREATE_IF_NOT_EXISTS false)
