-- frequency_totals
SELECT
  COUNT(*) AS set_rows,
  COALESCE(SUM(row_count), 0) AS row_count,
  COUNT(*) AS classes
FROM "frequency ""set"" 0" AS f
