-- rows_of_values
SELECT
  0 AS number,
  COUNT(value) AS value_count,
  COALESCE(SUM(row_count), 0) AS all_rows,
  COALESCE(SUM(CASE WHEN value IS NOT NULL AND row_count < 2 THEN row_count ELSE 0 END), 0) AS rare_rows,
  COALESCE(MAX(row_count), 0) AS most_rows,
  COALESCE(SUM(CASE WHEN value IS NULL THEN row_count ELSE 0 END), 0) AS null_rows
FROM "domain se""x" AS d
UNION ALL
SELECT
  1 AS number,
  COUNT(value) AS value_count,
  COALESCE(SUM(row_count), 0) AS all_rows,
  COALESCE(SUM(CASE WHEN value IS NOT NULL AND row_count < 2 THEN row_count ELSE 0 END), 0) AS rare_rows,
  COALESCE(MAX(row_count), 0) AS most_rows,
  COALESCE(SUM(CASE WHEN value IS NULL THEN row_count ELSE 0 END), 0) AS null_rows
FROM "domain zip; --" AS d
ORDER BY number
