CREATE TEMP TABLE "paths SELECT" AS
SELECT *
FROM read_csv(
  'jo''bs.csv',
  header = FALSE,
  delim = ';',
  quote = '"',
  escape = '"',
  null_padding = TRUE,
  columns = {
    'value': 'VARCHAR',
    'level_1': 'VARCHAR',
    'level_2': 'VARCHAR'
  }
)
