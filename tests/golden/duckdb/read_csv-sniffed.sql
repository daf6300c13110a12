CREATE TEMP TABLE "sniffed" AS
SELECT *
FROM read_csv(
  'pe*ople.csv',
  header = TRUE,
  all_varchar = TRUE
)
