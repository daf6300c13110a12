-- duckdb, postgres
SELECT
  COUNT(*) AS set_rows,
  COALESCE(SUM(row_count), 0) AS row_count,
  (SELECT COUNT(*) FROM (SELECT DISTINCT "entity" FROM "frequency ""set"" 2" AS d) AS t) AS classes
FROM "frequency ""set"" 2" AS f

-- spark
SELECT
  COUNT(*) AS set_rows,
  COALESCE(SUM(row_count), 0) AS row_count,
  (SELECT COUNT(*) FROM (SELECT DISTINCT `entity` FROM `frequency "set" 2` AS d) AS t) AS classes
FROM `frequency "set" 2` AS f
