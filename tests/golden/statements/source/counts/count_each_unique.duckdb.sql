-- count_each_unique
SELECT
  0 AS number,
  COUNT(*) AS all_values,
  COALESCE(SUM(CASE WHEN alike = 1 THEN 1 ELSE 0 END), 0) AS unique_rows
FROM (
  SELECT COUNT(*) AS alike
  FROM "the source; DROP TABLE x" AS s
  WHERE "s"."vis.it" IS NOT NULL
  GROUP BY "s"."vis.it"
) AS u
UNION ALL
SELECT
  1 AS number,
  COUNT(*) AS all_values,
  COALESCE(SUM(CASE WHEN alike = 1 THEN 1 ELSE 0 END), 0) AS unique_rows
FROM (
  SELECT COUNT(*) AS alike
  FROM "the source; DROP TABLE x" AS s
  WHERE "s"."ward 🏥" IS NOT NULL
  GROUP BY "s"."ward 🏥"
) AS u
ORDER BY number
