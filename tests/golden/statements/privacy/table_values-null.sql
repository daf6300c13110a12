-- duckdb, postgres
CREATE TEMP TABLE "values' counts 1" AS
SELECT
  "sensitive_2" AS value,
  COUNT(DISTINCT "entity") AS value_rows,
  SUM(COUNT(DISTINCT "entity")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT "entity") FROM "frequency ""set"" 2" AS t) AS table_persons
FROM "frequency ""set"" 2" AS t
GROUP BY "sensitive_2"

-- spark
CREATE TEMP VIEW `values' counts 1` AS
SELECT
  `sensitive_2` AS value,
  COUNT(DISTINCT `entity`) AS value_rows,
  SUM(COUNT(DISTINCT `entity`)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT `entity`) FROM `frequency "set" 2` AS t) AS table_persons
FROM `frequency "set" 2` AS t
GROUP BY `sensitive_2`
