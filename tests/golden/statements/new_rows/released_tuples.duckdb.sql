-- released_tuples
CREATE TEMP TABLE "told of tu'ples" AS
SELECT DISTINCT
  "s"."age
of 👩" AS "value_0",
  "s"."se""x" AS "value_1",
  "s"."zip; --" AS "value_2",
  "b"."low_of_0", "b"."high_of_0", "b"."label_of_1", "b"."label_of_2"
FROM "the source; DROP TABLE x" AS s
JOIN "line; 0" AS "q0" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q0"."value"
JOIN "line; 2" AS "q1" ON "s"."se""x" IS NOT DISTINCT FROM "q1"."value"
JOIN "ranked lea'ves" AS "q2" ON "s"."zip; --" IS NOT DISTINCT FROM "q2"."value"
JOIN "pla'in" AS r ON "r"."place_0" = "q0"."place" AND "r"."place_1" = "q1"."place" AND "r"."place_2" = "q2"."place"
JOIN "told'" AS b ON b.region = r.region
