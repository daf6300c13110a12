-- spark
CREATE TEMP VIEW `it's` (
  `a``b` bigint,
  `n` int
)
USING parquet
OPTIONS (
  path '/la\'ke',
  mergeSchema 'true'
)
