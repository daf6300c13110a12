-- domain_values
SELECT
  0 AS quasi,
  COUNT(*) AS different,
  COALESCE(SUM(row_count * CAST(ROUND(LN("row_count"), 9) AS DECIMAL(12, 9))), 0) AS logarithms
FROM "domain se""x" AS d
WHERE row_count > 0
UNION ALL
SELECT
  1 AS quasi,
  COUNT(*) AS different,
  COALESCE(SUM(row_count * CAST(ROUND(LN("row_count"), 9) AS DECIMAL(12, 9))), 0) AS logarithms
FROM "domain zip; --" AS d
WHERE row_count > 0
UNION ALL
SELECT
  2 AS quasi,
  COUNT(*) AS different,
  COALESCE(SUM(row_count * CAST(ROUND(LN("row_count"), 9) AS DECIMAL(12, 9))), 0) AS logarithms
FROM "domain age
of 👩" AS d
WHERE row_count > 0
UNION ALL
SELECT
  3 AS quasi,
  COUNT(*) AS different,
  COALESCE(SUM(row_count * CAST(ROUND(LN("row_count"), 9) AS DECIMAL(12, 9))), 0) AS logarithms
FROM "domain SELECT" AS d
WHERE row_count > 0
ORDER BY quasi
