CREATE TEMP VIEW "read back" AS
SELECT *
FROM read_parquet('re''lease.parquet')
