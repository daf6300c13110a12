-- count_rare_values
SELECT
  COUNT(*) AS value_count,
  COALESCE(SUM(CASE WHEN v.size < 3 THEN 1 ELSE 0 END), 0) AS rare
FROM (
  SELECT COUNT(DISTINCT "s"."who") AS size
  FROM "the source; DROP TABLE x" AS s
  WHERE "s"."na'me" IS NOT NULL
  GROUP BY "s"."na'me"
) AS v
