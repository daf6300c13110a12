-- duckdb
CREATE TEMP TABLE "the source; DROP TABLE x" AS
SELECT *
FROM read_csv(
  'pe''ople.csv',
  header = TRUE,
  skip = 0,
  delim = '|',
  quote = '"',
  escape = '"',
  comment = '',
  allow_quoted_nulls = FALSE,
  all_varchar = TRUE,
  hive_partitioning = FALSE,
  hive_types_autocast = FALSE
)

-- spark
CREATE TEMP VIEW `the source; DROP TABLE x`
USING csv
OPTIONS (
  path 'pe\'ople.csv',
  header 'true',
  inferSchema 'false',
  enforceSchema 'false',
  multiLine 'true',
  mode 'FAILFAST',
  nullValue ' no value ',
  emptyValue '',
  quote '"',
  escape '"',
  sep '|'
)
