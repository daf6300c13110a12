-- guess_values
SELECT
  APPROX_COUNT_DISTINCT("s"."na'me") AS "values_1",
  APPROX_COUNT_DISTINCT("s"."ward 🏥") AS "values_2"
FROM "the source; DROP TABLE x" AS s
