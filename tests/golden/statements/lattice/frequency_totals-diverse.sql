-- duckdb, postgres
SELECT
  COUNT(*) AS set_rows,
  COALESCE(SUM(row_count), 0) AS row_count,
  (SELECT COUNT(*) FROM (SELECT DISTINCT "key_1", "key_2" FROM "frequency ""set"" 1" AS d) AS t) AS classes
FROM "frequency ""set"" 1" AS f

-- spark
SELECT
  COUNT(*) AS set_rows,
  COALESCE(SUM(row_count), 0) AS row_count,
  (SELECT COUNT(*) FROM (SELECT DISTINCT `key_1`, `key_2` FROM `frequency "set" 1` AS d) AS t) AS classes
FROM `frequency "set" 1` AS f
