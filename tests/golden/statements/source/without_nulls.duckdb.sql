-- without_nulls
CREATE TEMP VIEW "known; rows" AS
SELECT *
FROM "the source; DROP TABLE x" AS s
WHERE "s"."se""x" IS NOT NULL AND "s"."zip; --" IS NOT NULL
