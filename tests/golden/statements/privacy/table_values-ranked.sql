-- duckdb, postgres
CREATE TEMP TABLE "values' counts 2" AS
SELECT
  "sensitive_1" AS value,
  SUM(row_count) AS value_rows,
  SUM(SUM(row_count)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM "frequency ""set"" 2" AS t
WHERE "sensitive_1" IS NOT NULL
GROUP BY "sensitive_1"

-- spark
CREATE TEMP VIEW `values' counts 2` AS
SELECT
  `sensitive_1` AS value,
  SUM(row_count) AS value_rows,
  SUM(SUM(row_count)) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values
FROM `frequency "set" 2` AS t
WHERE `sensitive_1` IS NOT NULL
GROUP BY `sensitive_1`
