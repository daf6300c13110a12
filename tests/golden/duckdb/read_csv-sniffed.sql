CREATE TEMP TABLE "sniffed" AS
SELECT *
FROM read_csv(
  'pe*ople.csv',
  header = TRUE,
  quote = '"',
  escape = '"',
  comment = '',
  allow_quoted_nulls = FALSE,
  all_varchar = TRUE,
  hive_types_autocast = FALSE
)
