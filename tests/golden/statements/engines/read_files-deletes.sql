-- duckdb
CREATE TEMP VIEW "see'n" AS
SELECT
  "r"."a'ge", "r"."zi""p"
FROM read_parquet(
  ['/la''ke/a.parquet', '/la''ke/b.parquet'],
  schema = MAP {
    1: {'name': 'a''ge', 'type': 'BIGINT', 'default_value': NULL},
    7: {'name': 'zi"p', 'type': 'DECIMAL(9,2)', 'default_value': NULL}
  },
  filename = TRUE,
  file_row_number = TRUE,
  explicit_cardinality = 20,
  hive_partitioning = FALSE
) AS r
ANTI JOIN read_parquet(['/la''ke/deleted.parquet'], hive_partitioning = FALSE, union_by_name = TRUE) AS d
  ON r.filename = regexp_replace(d.file_path, '^file:(//)?/', '/') AND r.file_row_number = d.pos
