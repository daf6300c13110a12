-- classes-measured
CREATE TEMP TABLE "measu'red classes" AS
SELECT
  COALESCE('v' || decode(encode(CAST("c"."text_0_0" AS VARCHAR))), '') AS "key_0",
  COALESCE('v' || decode(encode(CAST("c"."text_1_0" AS VARCHAR))), '') AS "key_1",
  COALESCE('v' || decode(encode(CAST("c"."text_2_0" AS VARCHAR))), '') AS "key_2",
  COALESCE('v' || decode(encode(CAST("c"."text_3_0" AS VARCHAR))), '') AS "key_3",
  row_count
FROM (
  SELECT
    decode("r"."text_0_0") AS "text_0_0",
    decode("r"."text_1_0") AS "text_1_0",
    decode("r"."text_2_0") AS "text_2_0",
    decode("r"."text_3_0") AS "text_3_0",
    row_count
  FROM (
    SELECT
      encode(CAST("t"."se""x" AS VARCHAR)) AS "text_0_0",
      encode(CAST("t"."zip; --" AS VARCHAR)) AS "text_1_0",
      encode(CAST("t"."age
of 👩" AS VARCHAR)) AS "text_2_0",
      encode(CAST("t"."SELECT" AS VARCHAR)) AS "text_3_0",
COUNT(*) AS row_count
    FROM "the source; DROP TABLE x" AS t
    GROUP BY encode(CAST("t"."se""x" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩" AS VARCHAR)), encode(CAST("t"."SELECT" AS VARCHAR))
  ) AS r
) AS c
