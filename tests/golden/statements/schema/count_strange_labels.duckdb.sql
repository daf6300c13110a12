-- count_strange_labels
SELECT COUNT(*) AS labels
FROM (
  SELECT DISTINCT "s"."wa;rd" AS label
  FROM "vis;its" AS s
  WHERE "s"."wa;rd" IS NOT NULL
) AS s
WHERE NOT EXISTS (
  SELECT 1
  FROM "vis;its" AS p
  WHERE CAST("p"."wa;rd" AS VARCHAR) = s.label
)
