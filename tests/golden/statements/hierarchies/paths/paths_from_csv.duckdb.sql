-- paths_from_csv
CREATE TEMP TABLE "paths SELECT" AS
SELECT DISTINCT *
FROM read_csv(
  'jo''bs.csv',
  header = FALSE,
  delim = ';',
  quote = '"',
  escape = '"',
  null_padding = TRUE,
  auto_detect = FALSE,
  parallel = FALSE,
  allow_quoted_nulls = FALSE,
  hive_partitioning = FALSE,
  columns = {
    'value': 'VARCHAR',
    'level_1': 'VARCHAR',
    'level_2': 'VARCHAR'
  }
)
