-- classes-weighed
CREATE TEMP TABLE "classes of weighed" AS
SELECT
  "q0"."code" AS "class_0",
  "q1"."code" AS "class_1",
  "q2"."code" AS "class_2",
  "q3"."code" AS "class_3",
  "s"."dis'ease" AS "spread_0",
  "s"."ward 🏥" AS "spread_1",
  "s"."who" AS entity,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS s
JOIN "released se""x" AS "q0" ON "s"."se""x" IS NOT DISTINCT FROM "q0"."value"
JOIN "released zip; --" AS "q1" ON "s"."zip; --" IS NOT DISTINCT FROM "q1"."value"
JOIN "released age
of 👩" AS "q2" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q2"."value"
JOIN "released SELECT" AS "q3" ON "s"."SELECT" IS NOT DISTINCT FROM "q3"."value"
GROUP BY 1, 2, 3, 4, 5, 6, 7
