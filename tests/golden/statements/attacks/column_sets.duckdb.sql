-- column_sets
SELECT
  number,
  COUNT(*) AS tuples,
  SUM(CASE WHEN row_count = 1 THEN 1 ELSE 0 END) AS unique_rows,
  SUM(row_count * (row_count - 1)) AS equal_pairs
FROM (
  SELECT 0 AS number, COUNT(*) AS row_count
  FROM "the source; DROP TABLE x" AS s
  GROUP BY encode(CAST("s"."se""x" AS VARCHAR))
  UNION ALL
  SELECT 1 AS number, COUNT(*) AS row_count
  FROM "the source; DROP TABLE x" AS s
  GROUP BY encode(CAST("s"."se""x" AS VARCHAR)), encode(CAST("s"."zip; --" AS VARCHAR))
) AS t
GROUP BY number
ORDER BY number
