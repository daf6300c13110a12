-- count_few_people
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(CASE WHEN people < 5 THEN 1 ELSE 0 END), 0) AS few,
  COALESCE(SUM(CASE WHEN people < 5 AND people = 1 THEN 1 ELSE 0 END), 0) AS of_one
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(DISTINCT "t"."who") + COUNT(*) - COUNT("t"."who") AS people
  FROM "the source; DROP TABLE x" AS t
  GROUP BY encode(CAST("t"."vis.it" AS VARCHAR)), encode(CAST("t"."ward 🏥" AS VARCHAR))
) AS c
WHERE class_rows >= 5
