-- count_branches
SELECT
  COUNT(DISTINCT region) AS regions,
  COUNT(*) AS branches,
COUNT(*) AS open_branches
FROM "bran'ches" AS b
