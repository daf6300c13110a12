-- count_weights
SELECT
  COUNT(*) AS tuple_count,
  SUM(CASE WHEN "row_count" >= 1 THEN CAST("row_count" AS DECIMAL(38, 0)) ELSE 0 END) AS row_count,
  SUM(CASE WHEN "row_count" >= 1 AND MOD("row_count", 1) = 0 THEN 0 ELSE 1 END) AS wrong
FROM "frequency ""set"" 0"
