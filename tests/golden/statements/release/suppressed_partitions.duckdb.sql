-- suppressed_partitions
SELECT CAST("s"."se""x" AS VARCHAR) AS "value_1", CAST("s"."ward 🏥" AS VARCHAR) AS "value_2"
FROM "the source; DROP TABLE x" AS s
WHERE "s"."se""x" IS NOT NULL AND "s"."ward 🏥" IS NOT NULL
EXCEPT
SELECT CAST("s"."se""x" AS VARCHAR) AS "value_1", CAST("s"."ward 🏥" AS VARCHAR) AS "value_2"
FROM "staged'" AS s
WHERE "s"."se""x" IS NOT NULL AND "s"."ward 🏥" IS NOT NULL
LIMIT 5
