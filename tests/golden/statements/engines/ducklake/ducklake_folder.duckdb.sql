-- ducklake_folder
SELECT m.value AS data_path, s.path AS schema_path, s.path_is_relative AS schema_is_relative,
  t.path AS table_path, t.path_is_relative AS table_is_relative
FROM "__ducklake_metadata_la'ke"."ducklake_table" AS t
JOIN "__ducklake_metadata_la'ke"."ducklake_schema" AS s ON s.schema_id = t.schema_id
CROSS JOIN "__ducklake_metadata_la'ke"."ducklake_metadata" AS m
WHERE t.table_id = 3 AND m.key = 'data_path' AND m.scope IS NULL AND t.end_snapshot IS NULL
  AND s.end_snapshot IS NULL
