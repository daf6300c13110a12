-- class_sums
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(row_count), 0) AS row_count,
  COALESCE(MIN(row_count), 0) AS smallest,
  COALESCE(SUM(row_count * row_count), 0) AS squares,
  COALESCE(SUM(row_count * CAST(ROUND(LN("row_count"), 9) AS DECIMAL(12, 9))), 0) AS logarithms
FROM "measu'red classes"
