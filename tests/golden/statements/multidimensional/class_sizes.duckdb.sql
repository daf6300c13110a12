-- class_sizes-regions
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows,
  SUM(row_count * row_count) AS squares
FROM (
  SELECT
    CAST(SUM(row_count) AS BIGINT) AS class_size,
    CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM "box'es" AS b
  GROUP BY "low_of_0", "high_of_0", "label_of_1", "label_of_2"
) AS c
GROUP BY class_size
ORDER BY class_size
