-- failing_classes
CREATE TEMP TABLE "failing'" AS
SELECT
  "q0"."code" AS "class_0",
  "q1"."code" AS "class_1",
  "q2"."code" AS "class_2",
  "q3"."code" AS "class_3",
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS s
JOIN "released se""x" AS "q0" ON "s"."se""x" IS NOT DISTINCT FROM "q0"."value"
JOIN "released zip; --" AS "q1" ON "s"."zip; --" IS NOT DISTINCT FROM "q1"."value"
JOIN "released age
of 👩" AS "q2" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q2"."value"
JOIN "released SELECT" AS "q3" ON "s"."SELECT" IS NOT DISTINCT FROM "q3"."value"
GROUP BY 1, 2, 3, 4
HAVING NOT (
  COUNT(DISTINCT "s"."who") >= 2 AND
  COUNT(DISTINCT "s"."dis'ease") >= 2 AND
  COUNT(DISTINCT "s"."ward 🏥")
    + MAX(CASE WHEN "s"."ward 🏥" IS NULL THEN 1 ELSE 0 END) >= 1
)
