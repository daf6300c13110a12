-- rows_of_codes
SELECT
  "sensitive_1" AS code,
  CAST(SUM("row_count") AS BIGINT) AS value_rows
FROM "frequency ""set"" 2" AS v
WHERE "sensitive_1" IS NOT NULL
GROUP BY "sensitive_1"
ORDER BY "sensitive_1"
LIMIT 65
