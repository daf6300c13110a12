-- classes-reported
CREATE TEMP TABLE "report'ed rows" AS
SELECT
  COALESCE('v' || decode(encode(CAST("c"."part_0" AS VARCHAR))), '') AS "key_0",
  COALESCE('v' || decode(encode(CAST("c"."part_1" AS VARCHAR))), '') AS "key_1",
  COALESCE('v' || decode(encode(CAST("c"."part_2" AS VARCHAR))), '') AS "key_2",
  COALESCE('v' || decode(encode(CAST("c"."part_3" AS VARCHAR))), '') AS "key_3",
  row_count,
  class_size
FROM (
  SELECT
    decode("g"."part_0") AS "part_0",
    decode("g"."part_1") AS "part_1",
    decode("g"."part_2") AS "part_2",
    decode("g"."part_3") AS "part_3",
    row_count,
    class_size
  FROM (
SELECT
  encode(CAST("t"."se""x" AS VARCHAR)) AS "part_0",
  encode(CAST("t"."zip; --" AS VARCHAR)) AS "part_1",
  encode(CAST("t"."age
of 👩" AS VARCHAR)) AS "part_2",
  encode(CAST("t"."SELECT" AS VARCHAR)) AS "part_3",
  COUNT(*) AS row_count,
  COUNT(*) AS class_size
FROM "the source; DROP TABLE x" AS t
GROUP BY encode(CAST("t"."se""x" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩" AS VARCHAR)), encode(CAST("t"."SELECT" AS VARCHAR))
  ) AS g
) AS c
