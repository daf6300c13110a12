-- count_cut
SELECT
  COUNT(child) AS branches,
  COUNT(CASE WHEN child IS NULL AND axis IS NULL THEN 1 END) AS groups,
  COUNT(CASE WHEN child IS NULL AND axis IS NOT NULL THEN 1 END) AS shown
FROM "seen cu't" AS k
