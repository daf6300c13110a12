-- missing
SELECT COUNT(DISTINCT t.entity) AS missing
FROM "all at once" AS t
WHERE NOT EXISTS (
  SELECT 1
  FROM "fits at once" AS f
  WHERE f."key_1" = t."key_1" AND f."key_2" = t."key_2"
)
