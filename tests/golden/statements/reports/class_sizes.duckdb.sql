-- class_sizes-reported
SELECT
  class_size,
  row_count AS class_rows,
  COUNT(*) AS classes
FROM "report'ed people" AS c
GROUP BY class_size, row_count
ORDER BY class_size, class_rows
