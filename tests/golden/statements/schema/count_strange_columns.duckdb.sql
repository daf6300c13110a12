-- count_strange_columns
SELECT COUNT(*) AS strange_columns
FROM information_schema.columns
WHERE LOWER(table_schema) = LOWER('a''n;on') AND table_catalog NOT IN ('system', 'temp')
  AND NOT (LOWER(table_name) = LOWER('peo;ple') AND LOWER(column_name) IN (LOWER('i''d'), LOWER('sex')))
  AND NOT (LOWER(table_name) = LOWER('ico''ds') AND LOWER(column_name) IN (LOWER('co;de')))
