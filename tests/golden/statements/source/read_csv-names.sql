-- duckdb
CREATE TEMP TABLE "head less" AS
SELECT *
FROM read_csv(
  'pe''ople.csv',
  header = FALSE,
  names = ['co''lumn_1', 'column_2'],
  skip = 0,
  quote = '"',
  escape = '"',
  comment = '',
  allow_quoted_nulls = FALSE,
  all_varchar = TRUE,
  hive_partitioning = FALSE,
  hive_types_autocast = FALSE
)

-- spark
CREATE TEMP VIEW `head less` (
  `co'lumn_1` STRING,
  `column_2` STRING
)
USING csv
OPTIONS (
  path 'pe\'ople.csv',
  header 'false',
  inferSchema 'false',
  enforceSchema 'false',
  multiLine 'true',
  mode 'FAILFAST',
  nullValue ' no value ',
  emptyValue '',
  quote '"',
  escape '"'
)
