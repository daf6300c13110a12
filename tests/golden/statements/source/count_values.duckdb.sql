-- count_values
SELECT
  COUNT(*) AS row_count,
  COUNT(DISTINCT "s"."vis.it"),
  COUNT(DISTINCT "s"."ward 🏥")
FROM "the source; DROP TABLE x" AS s
