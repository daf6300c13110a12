-- count_strange_labels
SELECT COUNT(*) AS labels
FROM (
  SELECT DISTINCT "s"."day" AS label
  FROM "vis;its" AS s
  WHERE "s"."day" IS NOT NULL
) AS s
WHERE NOT EXISTS (
  SELECT 1
  FROM "vis;its" AS p
  WHERE CAST("p"."day" AS VARCHAR) = s.label
)
