-- axes_of_line
SELECT
  axis,
  COUNT(*) AS radix,
  MIN(place) AS least,
  MAX(place) AS greatest,
  CAST(SUM(row_count) AS BIGINT) AS row_count
FROM "ra'nks" AS k
GROUP BY axis
ORDER BY radix, axis
