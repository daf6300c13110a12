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
