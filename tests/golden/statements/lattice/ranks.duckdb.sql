-- ranks
CREATE TEMP TABLE "ranks 1" AS
SELECT DISTINCT
  c."key_1" & CAST(24 AS BIGINT) AS "key_1",
  r.code
FROM "codes zip; --" AS c
JOIN "map by bytes 1" AS r ON "c"."value" IS NOT DISTINCT FROM "r"."value"
