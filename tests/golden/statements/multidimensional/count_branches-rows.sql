-- duckdb, postgres
SELECT
  COUNT(DISTINCT region) AS regions,
  COUNT(*) AS branches,
COUNT(CASE WHEN row_count >= 4 THEN 1 END) AS open_branches
FROM "branches by l'oss" AS b

-- spark
SELECT
  COUNT(DISTINCT region) AS regions,
  COUNT(*) AS branches,
COUNT(CASE WHEN row_count >= 4 THEN 1 END) AS open_branches
FROM `branches by l'oss` AS b
