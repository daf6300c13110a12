-- duckdb
CREATE TEMP VIEW "see'n" AS
SELECT
  CAST("r"."a'ge" AS BIGINT) AS "a'ge",
  CAST("r"."ZIP" AS DECIMAL(9,2)) AS "zi""p"
FROM read_parquet(
  ['/la''ke/a.parquet', '/la''ke/b.parquet'],
  filename = TRUE,
  file_row_number = TRUE,
  hive_partitioning = FALSE
) AS r
ANTI JOIN read_parquet(['/la''ke/deleted.parquet'], hive_partitioning = FALSE, union_by_name = TRUE) AS d
  ON r.filename = regexp_replace(d.file_path, '^file:(//)?/', '/') AND r.file_row_number = d.pos
UNION ALL
SELECT
  CAST(NULL AS BIGINT) AS "a'ge",
  CAST("r"."ZIP" AS DECIMAL(9,2)) AS "zi""p"
FROM read_parquet(
  ['/la''ke/c.parquet'],
  filename = TRUE,
  file_row_number = TRUE,
  hive_partitioning = FALSE
) AS r
ANTI JOIN read_parquet(['/la''ke/deleted.parquet'], hive_partitioning = FALSE, union_by_name = TRUE) AS d
  ON r.filename = regexp_replace(d.file_path, '^file:(//)?/', '/') AND r.file_row_number = d.pos
