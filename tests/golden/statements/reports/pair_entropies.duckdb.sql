-- pair_entropies
SELECT
  0 AS pair,
  COALESCE(SUM(row_count * CAST(ROUND(LN("row_count"), 9) AS DECIMAL(12, 9))), 0) AS logarithms
FROM (
  SELECT SUM(row_count) AS row_count
  FROM "report'ed rows" AS c
  GROUP BY "key_0", "key_1"
) AS v
UNION ALL
SELECT
  1 AS pair,
  COALESCE(SUM(row_count * CAST(ROUND(LN("row_count"), 9) AS DECIMAL(12, 9))), 0) AS logarithms
FROM (
  SELECT SUM(row_count) AS row_count
  FROM "report'ed rows" AS c
  GROUP BY "key_0", "key_2"
) AS v
ORDER BY pair
