-- penalty_of_covered
SELECT
  COALESCE(SUM(CAST("g"."row_count" AS DOUBLE) * CASE
    WHEN c.covered = 1 THEN 0
    WHEN c.covered IS NULL THEN 1
    ELSE CAST("c"."covered" AS DOUBLE) / CAST("d"."different" AS DOUBLE)
  END), 0) AS penalty
FROM (
  SELECT
    "key_0" AS label,
    SUM(row_count) AS row_count
  FROM "measu'red classes"
  GROUP BY "key_0"
) AS g
LEFT JOIN (
  SELECT
    label,
    COUNT(DISTINCT place) AS covered
  FROM "measu'red values se""x"
  GROUP BY label
) AS c ON c.label = g.label
CROSS JOIN (
  SELECT COUNT(DISTINCT place) AS different
  FROM "measu'red values se""x"
) AS d
