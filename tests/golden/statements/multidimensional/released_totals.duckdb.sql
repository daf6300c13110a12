-- released_totals
SELECT
  COUNT(*) AS classes,
  MIN(row_count) AS smallest
FROM (
  SELECT CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM "box'es" AS b
  GROUP BY "low_of_0", "high_of_0", "label_of_1", "label_of_2"
) AS c
