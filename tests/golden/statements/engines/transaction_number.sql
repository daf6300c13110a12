-- duckdb
SELECT txid_current()
