-- class_values
CREATE TEMP TABLE "report'ed values" AS
SELECT
  part_0,
  part_1,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
HASH(encode(CAST("t"."se""x" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."SELECT" AS VARCHAR))) AS part_0,
HASH(encode(CAST("t"."SELECT" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."se""x" AS VARCHAR))) AS part_1,
    encode(CAST("t"."dis'ease" AS VARCHAR)) AS value
  FROM "the source; DROP TABLE x" AS t
  WHERE "t"."dis'ease" IS NOT NULL
) AS h
GROUP BY part_0, part_1, value
