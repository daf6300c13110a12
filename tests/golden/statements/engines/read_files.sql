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
  explicit_cardinality = 20,
  hive_partitioning = FALSE
) AS r
