-- class_tuples-nodes
CREATE TEMP TABLE "class_tuples 1-nodes" AS
SELECT
  n.region,
  "p0"."place" AS "place_0",
  "p3"."place" AS "place_3",
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS s
JOIN "in layers se""x" AS "q0" ON "s"."se""x" IS NOT DISTINCT FROM "q0"."value"
JOIN "in layers zip; --" AS "q1" ON "s"."zip; --" IS NOT DISTINCT FROM "q1"."value"
JOIN "in layers age
of 👩" AS "q2" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q2"."value"
JOIN "in layers SELECT" AS "q3" ON "s"."SELECT" IS NOT DISTINCT FROM "q3"."value"
JOIN "class_numbers 1-nodes" AS n
  ON n."class_0" = "q0"."code" AND n."class_1" = "q1"."code_0" AND n."class_2" = "q2"."code_0" AND n."class_3" = "q3"."code"
JOIN "value_places 1-nodes" AS "p0" ON "s"."se""x" IS NOT DISTINCT FROM "p0"."value"
JOIN "value_places 4-nodes" AS "p3" ON "s"."SELECT" IS NOT DISTINCT FROM "p3"."value"
WHERE NOT EXISTS (
  SELECT 1
  FROM "left at last" AS f
  WHERE f."class_0" = "q0"."code" AND f."class_1" = "q1"."code_0" AND f."class_2" = "q2"."code_0" AND f."class_3" = "q3"."code"
)
GROUP BY 1, 2, 3
