-- all_paths_of_files
CREATE TEMP TABLE "all path's" AS
SELECT
  '0' AS quasi,
  value,
  "level_1",
  NULL AS "level_2"FROM (
  VALUES
    ('F', 'person'),
    ('M', 'person')
) AS p (value, "level_1")
UNION ALL
SELECT
  '2' AS quasi,
  value,
  "level_1",
  "level_2"FROM "copied" AS p
UNION ALL
SELECT DISTINCT
  '11' AS quasi,
  value,
  "level_1",
  "level_2"FROM read_csv(
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
