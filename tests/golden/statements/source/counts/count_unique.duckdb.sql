-- count_unique
SELECT
  COALESCE(SUM(CASE WHEN of_first = 0 THEN alike END), 0) AS all_rows,
  COUNT("value_1") AS "values_1",
  COALESCE(SUM(CASE WHEN "value_1" IS NOT NULL AND alike = 1 THEN 1 END), 0) AS "unique_1",
  COUNT("value_2") AS "values_2",
  COALESCE(SUM(CASE WHEN "value_2" IS NOT NULL AND alike = 1 THEN 1 END), 0) AS "unique_2"
FROM (
  SELECT
    "value_1",
    "value_2",
    GROUPING("value_1") AS of_first,
    COUNT(*) AS alike
  FROM (
    SELECT
"s"."vis.it" AS "value_1",
"s"."ward 🏥" AS "value_2"
    FROM "the source; DROP TABLE x" AS s
  ) AS t
  GROUP BY GROUPING SETS (("value_1"), ("value_2"))
) AS u
