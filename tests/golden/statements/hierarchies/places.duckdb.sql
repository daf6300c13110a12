-- places-target
CREATE TEMP TABLE "places, targe't" AS
SELECT
  CAST(0 AS BIGINT) AS region,
  "q0"."place" AS "place_0",
  "q1"."place" AS "place_1",
  "t"."code" - 1 AS "target",
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS s
JOIN "line; 0" AS "q0" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q0"."value"
JOIN "ran'ked" AS "q1" ON "s"."zip; --" IS NOT DISTINCT FROM "q1"."value"
JOIN "values dis'ease" AS "t" ON "s"."dis'ease" IS NOT DISTINCT FROM "t"."value"
GROUP BY 2, 3, 4
