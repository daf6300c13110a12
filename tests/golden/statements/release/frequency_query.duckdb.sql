-- frequency_query
SELECT
  "s"."row_count",
  COUNT(*) AS "kanon_rows"
FROM "frequency ""set"" 0" AS s
GROUP BY
  "s"."row_count"
