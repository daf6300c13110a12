-- coded_tuples
CREATE TEMP TABLE "measu'red coded" AS
SELECT
  "c0"."code" AS "key_0",
  "c1"."code" AS "key_1",
  "c2"."code" AS "key_2",
  "c3"."code" AS "key_3",
  COUNT(*) AS row_count,
  COUNT(*) AS class_size
FROM "the source; DROP TABLE x" AS t
JOIN "measu'red codes se""x" AS "c0" ON "t"."se""x" IS NOT DISTINCT FROM "c0"."value"
JOIN "measu'red codes zip; --" AS "c1" ON "t"."zip; --" IS NOT DISTINCT FROM "c1"."value"
JOIN "measu'red codes age
of 👩" AS "c2" ON "t"."age
of 👩" IS NOT DISTINCT FROM "c2"."value"
JOIN "measu'red codes SELECT" AS "c3" ON "t"."SELECT" IS NOT DISTINCT FROM "c3"."value"
GROUP BY "c0"."code", "c1"."code", "c2"."code", "c3"."code"
