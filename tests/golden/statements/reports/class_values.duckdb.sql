-- class_values
CREATE TEMP TABLE "report'ed values" AS
SELECT
  encode(CAST("t"."se""x" AS VARCHAR)) AS "part_0",
  encode(CAST("t"."zip; --" AS VARCHAR)) AS "part_1",
  encode(CAST("t"."age
of 👩" AS VARCHAR)) AS "part_2",
  encode(CAST("t"."zip; --" AS VARCHAR)) AS "part_3",
  encode(CAST("t"."SELECT" AS VARCHAR)) AS "part_4",
  encode(CAST("t"."dis'ease" AS VARCHAR)) AS value,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS t
WHERE "t"."dis'ease" IS NOT NULL
GROUP BY encode(CAST("t"."se""x" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."SELECT" AS VARCHAR)), encode(CAST("t"."dis'ease" AS VARCHAR))
