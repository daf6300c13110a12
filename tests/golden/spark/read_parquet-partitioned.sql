CREATE TEMP VIEW `parts read back`
USING parquet
OPTIONS (
  path 'par[t]s/**/*.parquet',
  basePath 'parts',
  mergeSchema 'true'
)
