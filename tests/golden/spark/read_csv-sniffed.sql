CREATE TEMP VIEW `sniffed`
USING csv
OPTIONS (
  path 'pe*ople.csv',
  basePath 'some\'where',
  header 'true',
  inferSchema 'false',
  enforceSchema 'false',
  multiLine 'true',
  mode 'FAILFAST',
  nullValue ' no value ',
  emptyValue '',
  quote '"',
  escape '"'
)
