-- kept_classes
CREATE TEMP TABLE "kept classes" AS
SELECT DISTINCT
  "q0"."code" AS "class_0",
  "q1"."code" AS "class_1",
  "q2"."code" AS "class_2",
  "q3"."code" AS "class_3"
FROM "the source; DROP TABLE x" AS s
JOIN "released se""x" AS "q0" ON "s"."se""x" IS NOT DISTINCT FROM "q0"."value"
JOIN "released zip; --" AS "q1" ON "s"."zip; --" IS NOT DISTINCT FROM "q1"."value"
JOIN "released age
of 👩" AS "q2" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q2"."value"
JOIN "released SELECT" AS "q3" ON "s"."SELECT" IS NOT DISTINCT FROM "q3"."value"
WHERE NOT EXISTS (
  SELECT 1
  FROM "failing'" AS f
  WHERE f."class_0" = "q0"."code" AND f."class_1" = "q1"."code" AND f."class_2" = "q2"."code" AND f."class_3" = "q3"."code"
)
