-- unfit_regions
SELECT COUNT(*) AS regions
FROM (
  SELECT region
  FROM "af'ter" AS w
  GROUP BY region
  HAVING NOT (COUNT(DISTINCT "entity") >= 2 AND COUNT(DISTINCT "spread_0") >= 2 AND COUNT(DISTINCT "spread_1") >= 1)
) AS c
