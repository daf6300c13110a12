-- duckdb, postgres
CREATE TEMP TABLE "values' counts 1" AS
SELECT
  "sensitive_2" AS value,
  SUM(row_count) AS value_rows,
  SUM(SUM(row_count)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM "frequency ""set"" 2" AS t
GROUP BY "sensitive_2"

-- spark
CREATE TEMP VIEW `values' counts 1` AS
SELECT
  `sensitive_2` AS value,
  SUM(row_count) AS value_rows,
  SUM(SUM(row_count)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM `frequency "set" 2` AS t
GROUP BY `sensitive_2`
