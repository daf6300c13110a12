-- duckdb, postgres
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows,
  SUM(row_count * row_count) AS squares
FROM (
  SELECT
    COUNT(DISTINCT h.entity) AS class_size,
    CAST(SUM(h.row_count) AS BIGINT) AS row_count
  FROM "ho'mes" AS h
  JOIN "box'es" AS b ON b.region = h.region
  GROUP BY "low_of_0", "high_of_0", "label_of_1", "label_of_2"
) AS c
GROUP BY class_size
ORDER BY class_size

-- spark
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows,
  SUM(row_count * row_count) AS squares
FROM (
  SELECT
    COUNT(DISTINCT h.entity) AS class_size,
    CAST(SUM(h.row_count) AS BIGINT) AS row_count
  FROM `ho'mes` AS h
  JOIN `box'es` AS b ON b.region = h.region
  GROUP BY `low_of_0`, `high_of_0`, `label_of_1`, `label_of_2`
) AS c
GROUP BY class_size
ORDER BY class_size
