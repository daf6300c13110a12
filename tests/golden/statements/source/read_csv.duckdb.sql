-- read_csv
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
