-- write_plainly
COPY (
  SELECT *
  FROM read_csv(
    'pe''ople.csv',
    header = FALSE,
    skip = 2,
    delim = '|',
    quote = '''',
    escape = '''',
    comment = '#',
    allow_quoted_nulls = FALSE,
    all_varchar = TRUE,
    hive_partitioning = FALSE
  )
) TO 'co''py.csv' (
  FORMAT csv,
  HEADER FALSE,
  DELIMITER ',',
  QUOTE '"',
  ESCAPE '"'
)
