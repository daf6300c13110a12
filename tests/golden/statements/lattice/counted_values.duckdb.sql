-- counted_values
CREATE TEMP TABLE "counted; values" AS
SELECT
  "key_1",
  "key_2",
  CAST(SUM(row_count * (CASE "sensitive_1" WHEN 0 THEN 1099511627777 WHEN 1 THEN 1099512676352 ELSE 0 END)) AS BIGINT) AS "counters_1",
  CAST(SUM(row_count * (CASE "sensitive_2" WHEN 0 THEN 1048577 WHEN 1 THEN 1048576 ELSE 0 END)) AS BIGINT) AS "counters_2",
  CAST(SUM(row_count) AS BIGINT) AS row_count
FROM "frequency ""set"" 2" AS f
GROUP BY 1, 2
ORDER BY "key_1", "key_2"
