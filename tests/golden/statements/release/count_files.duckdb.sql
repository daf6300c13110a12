-- count_files
SELECT
  (SELECT COUNT(*) FROM glob('parts of a plan/**/*.parquet')) AS files,
  (
    SELECT COUNT(DISTINCT file_name)
    FROM parquet_kv_metadata('parts of a plan/**/*.parquet')
    WHERE key = encode('kanon_sql_plan') AND value = encode('0''1')
  ) AS made_by_it
