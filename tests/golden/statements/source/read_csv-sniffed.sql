-- duckdb
CREATE TEMP TABLE "sniffed" AS
SELECT *
FROM read_csv(
  'pe*ople.csv',
  header = TRUE,
  skip = 0,
  quote = '"',
  escape = '"',
  comment = '',
  allow_quoted_nulls = FALSE,
  all_varchar = TRUE,
  union_by_name = TRUE,
  hive_types_autocast = FALSE
)

-- spark
CREATE TEMP VIEW `sniffed`
USING csv
OPTIONS (
  path 'pe*ople.csv',
  basePath 'some\'where',
  header 'true',
  inferSchema 'false',
  enforceSchema 'false',
  multiLine 'true',
  mode 'FAILFAST',
  nullValue ' no value ',
  emptyValue '',
  quote '"',
  escape '"'
)
