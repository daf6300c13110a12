-- count_released
SELECT COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS s
JOIN "told pa'rts" AS "q0" ON "s"."se""x" IS NOT DISTINCT FROM "q0"."value"
