-- loaded_boundaries
CREATE TEMP TABLE "loaded si'des" AS
SELECT
  CAST("l"."value" AS INTEGER) AS "region",
  CAST("l"."code" AS INTEGER) AS "code"
FROM "told pa'rts" AS l
