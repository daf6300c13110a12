-- duckdb, postgres
SELECT
  COUNT(DISTINCT region) AS regions,
  COUNT(*) AS branches,
COUNT(*) AS open_branches
FROM "bran'ches" AS b

-- spark
SELECT
  COUNT(DISTINCT region) AS regions,
  COUNT(*) AS branches,
COUNT(*) AS open_branches
FROM `bran'ches` AS b
