CREATE TEMP VIEW `the source; DROP TABLE x`
USING csv
OPTIONS (
  path 'pe\'ople.csv',
  header 'true',
  inferSchema 'false',
  multiLine 'true',
  mode 'FAILFAST',
  quote '"',
  escape '"',
  sep '|'
)
