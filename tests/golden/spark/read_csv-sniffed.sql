CREATE TEMP VIEW `sniffed`
USING csv
OPTIONS (
  path 'pe*ople.csv',
  header 'true',
  inferSchema 'false',
  multiLine 'true',
  mode 'FAILFAST',
  quote '"',
  escape '"'
)
