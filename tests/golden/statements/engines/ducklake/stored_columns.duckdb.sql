-- stored_columns
SELECT columns, LIST(file_name ORDER BY file_name) AS files
FROM (
  SELECT
    file_name,
    LIST({
      'id': field_id,
      'name': name,
      'type': CASE WHEN type = 'INT96' THEN type ELSE replace(duckdb_type, ' WITH TIME ZONE', 'TZ') END
    } ORDER BY field_id, name) AS columns
  FROM parquet_schema(['/la''ke/a.parquet', '/la''ke/b.parquet'])
  WHERE COALESCE(num_children, 0) = 0
  GROUP BY file_name
) AS s
GROUP BY columns
ORDER BY 2
