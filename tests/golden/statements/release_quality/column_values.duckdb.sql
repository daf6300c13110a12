-- column_values
SELECT
  0 AS quasi,
  COUNT(*) AS different,
  COALESCE(SUM(row_count * CAST(ROUND(LN("row_count"), 9) AS DECIMAL(12, 9))), 0) AS logarithms
FROM (
  SELECT SUM(row_count) AS row_count
  FROM "measu'red classes"
  GROUP BY "key_0"
) AS v
UNION ALL
SELECT
  1 AS quasi,
  COUNT(*) AS different,
  COALESCE(SUM(row_count * CAST(ROUND(LN("row_count"), 9) AS DECIMAL(12, 9))), 0) AS logarithms
FROM (
  SELECT SUM(row_count) AS row_count
  FROM "measu'red classes"
  GROUP BY "key_1"
) AS v
UNION ALL
SELECT
  2 AS quasi,
  COUNT(*) AS different,
  COALESCE(SUM(row_count * CAST(ROUND(LN("row_count"), 9) AS DECIMAL(12, 9))), 0) AS logarithms
FROM (
  SELECT SUM(row_count) AS row_count
  FROM "measu'red classes"
  GROUP BY "key_2"
) AS v
UNION ALL
SELECT
  3 AS quasi,
  COUNT(*) AS different,
  COALESCE(SUM(row_count * CAST(ROUND(LN("row_count"), 9) AS DECIMAL(12, 9))), 0) AS logarithms
FROM (
  SELECT SUM(row_count) AS row_count
  FROM "measu'red classes"
  GROUP BY "key_3"
) AS v
ORDER BY quasi
