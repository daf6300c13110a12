-- table_values
CREATE TEMP TABLE "values' counts 0" AS
SELECT
  "sensitive_1" AS value,
  COUNT(DISTINCT "entity") AS value_rows,
  SUM(COUNT(DISTINCT "entity")) OVER () AS table_rows,
  COUNT(*) OVER () AS table_values,
  (SELECT COUNT(DISTINCT "entity") FROM "frequency ""set"" 2" AS t WHERE "sensitive_1" IS NOT NULL) AS table_persons
FROM "frequency ""set"" 2" AS t
WHERE "sensitive_1" IS NOT NULL
GROUP BY "sensitive_1"
