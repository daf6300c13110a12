-- coarser_files
SELECT COUNT(DISTINCT file_name)
FROM parquet_kv_metadata('parts of a plan/**/*.parquet')
WHERE key = encode('kanon_sql_added_by') AND value = encode('2')
