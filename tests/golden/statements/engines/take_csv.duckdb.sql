-- take_csv
CREATE TEMP TABLE "taken; codes" AS
SELECT
  "key; ""1""",
  "sensitive_1",
  "row_count"
FROM read_csv(
  'co''des.csv',
  header = FALSE,
  auto_detect = FALSE,
  delim = ',',
  quote = '"',
  columns = {
    'key; "1"': 'BIGINT',
    'sensitive_1': 'INTEGER',
    'row_count': 'BIGINT'
  }
)
