-- read_files
CREATE TEMP VIEW "see'n" AS
SELECT
  CAST("r"."a'ge" AS BIGINT) AS "a'ge",
  CAST("r"."ZIP" AS DECIMAL(9,2)) AS "zi""p"
FROM read_parquet(
  ['/la''ke/a.parquet', '/la''ke/b.parquet'],
  hive_partitioning = FALSE
) AS r
UNION ALL
SELECT
  CAST(NULL AS BIGINT) AS "a'ge",
  CAST("r"."ZIP" AS DECIMAL(9,2)) AS "zi""p"
FROM read_parquet(
  ['/la''ke/c.parquet'],
  hive_partitioning = FALSE
) AS r
