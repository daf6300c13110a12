-- classes-measured
CREATE TEMP TABLE "measu'red classes" AS
SELECT
  "key_0",
  "key_1",
  "key_2",
  "key_3",
COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || decode(encode(CAST("t"."se""x" AS VARCHAR))), '') AS "key_0",
    COALESCE('v' || decode(encode(CAST("t"."zip; --" AS VARCHAR))), '') AS "key_1",
    COALESCE('v' || decode(encode(CAST("t"."age
of 👩" AS VARCHAR))), '') AS "key_2",
    COALESCE('v' || decode(encode(CAST("t"."SELECT" AS VARCHAR))), '') AS "key_3"
  FROM "the source; DROP TABLE x" AS t
) AS r
GROUP BY "key_0", "key_1", "key_2", "key_3"
