-- values_to_mask
CREATE TEMP TABLE "ce'lls" AS
SELECT
  encode(CAST("s"."se""x" AS VARCHAR)) AS value,
  ANY_VALUE("s"."se""x") AS cell
FROM "the source; DROP TABLE x" AS s
WHERE "s"."se""x" IS NOT NULL
GROUP BY encode(CAST("s"."se""x" AS VARCHAR))
