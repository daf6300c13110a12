-- ducklake_layout
SELECT
  EXISTS (
    SELECT 1
    FROM "__ducklake_metadata_la'ke"."ducklake_partition_info" AS p
    JOIN "__ducklake_metadata_la'ke"."ducklake_partition_column" AS c ON c.partition_id = p.partition_id
    WHERE p.table_id = 3 AND p.end_snapshot IS NULL
  ) AS is_partitioned,
  EXISTS (SELECT 1 FROM "__ducklake_metadata_la'ke"."ducklake_sort_info" AS s WHERE s.table_id = 3 AND s.end_snapshot IS NULL) AS is_sorted
