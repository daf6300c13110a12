-- read_csv
CREATE TEMP VIEW `the source; DROP TABLE x`
USING csv
OPTIONS (
  path 'pe\'ople.csv',
  header 'true',
  inferSchema 'false',
  enforceSchema 'false',
  multiLine 'true',
  mode 'FAILFAST',
  nullValue ' no value ',
  emptyValue '',
  quote '"',
  escape '"',
  sep '|'
)
