-- recoded_rows
CREATE TEMP VIEW "rows of a series" AS
SELECT
  "q0"."label" AS "se""x",
  "q1"."label" AS "zip; --",
  "q2"."low" AS "age
of 👩_low",
  "q2"."high" AS "age
of 👩_high",
  "q3"."label" AS "SELECT",
  "s"."zip; --" AS "series_row"
FROM "the source; DROP TABLE x" AS s
JOIN "released se""x" AS "q0" ON "s"."se""x" IS NOT DISTINCT FROM "q0"."value"
JOIN "released zip; --" AS "q1" ON "s"."zip; --" IS NOT DISTINCT FROM "q1"."value"
JOIN "released age
of 👩" AS "q2" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q2"."value"
JOIN "released SELECT" AS "q3" ON "s"."SELECT" IS NOT DISTINCT FROM "q3"."value"
