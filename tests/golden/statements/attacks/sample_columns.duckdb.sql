-- sample_columns
CREATE TEMP TABLE "sample of columns" AS
SELECT
hash(encode(CAST("s"."se""x" AS VARCHAR))) AS "se""x",
hash(encode(CAST("s"."zip; --" AS VARCHAR))) AS "zip; --"
FROM "the source; DROP TABLE x" AS s
WHERE RANDOM() < 0.500000000
