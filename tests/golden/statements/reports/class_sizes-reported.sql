-- duckdb, postgres
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS row_count
FROM "report'ed people" AS c
GROUP BY class_size
ORDER BY class_size

-- spark
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS row_count
FROM `report'ed people` AS c
GROUP BY class_size
ORDER BY class_size
