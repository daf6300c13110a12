-- duckdb
SELECT
  field_id,
  CASE WHEN type = 'INT96' THEN type ELSE duckdb_type END AS stored,
  COUNT(DISTINCT file_name) AS files
FROM parquet_schema(['/la''ke/a.parquet', '/la''ke/b.parquet'])
WHERE COALESCE(num_children, 0) = 0
GROUP BY 1, 2
ORDER BY 1, 2
