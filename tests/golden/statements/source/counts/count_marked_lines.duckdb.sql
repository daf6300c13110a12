-- count_marked_lines
SELECT COUNT(*) AS row_count
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
