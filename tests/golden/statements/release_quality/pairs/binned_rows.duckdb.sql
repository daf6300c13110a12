-- binned_rows
CREATE TEMP TABLE "measu'red bins of tuples" AS
SELECT
  "x0"."bin" AS "value_0",
  "x1"."bin" AS "value_1",
  "x2"."bin" AS "value_2",
  "x3"."bin" AS "value_3",
"t"."row_count" AS row_count
FROM "measu'red classes" AS t
JOIN (
  SELECT DISTINCT
    "b"."own" AS known,
    b.bin
  FROM "measu'red bins se""x" AS b
) AS "x0" ON "t"."key_0" = "x0"."known"
JOIN (
  SELECT DISTINCT
    "b"."own" AS known,
    b.bin
  FROM "measu'red bins zip; --" AS b
) AS "x1" ON "t"."key_1" = "x1"."known"
JOIN (
  SELECT DISTINCT
    "b"."own" AS known,
    b.bin
  FROM "measu'red bins age
of 👩" AS b
) AS "x2" ON "t"."key_2" = "x2"."known"
JOIN (
  SELECT DISTINCT
    "b"."own" AS known,
    b.bin
  FROM "measu'red bins SELECT" AS b
) AS "x3" ON "t"."key_3" = "x3"."known"
