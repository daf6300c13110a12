-- suppressed_hashes
SELECT DISTINCT decode(value) AS hashes
FROM parquet_kv_metadata('parts beside suppressed ones/**/*.parquet')
WHERE key = encode('kanon_sql_suppressed')
