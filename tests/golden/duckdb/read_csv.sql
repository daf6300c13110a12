CREATE TEMP TABLE "the source; DROP TABLE x" AS
SELECT *
FROM read_csv(
  'pe''ople.csv',
  header = TRUE,
  delim = '|',
  all_varchar = TRUE
)
