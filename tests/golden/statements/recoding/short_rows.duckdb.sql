-- short_rows
SELECT
  COUNT(*) AS row_count
FROM (
  SELECT
    encode(CAST("se""x" AS VARCHAR)) AS "key_1",
    encode(CAST("zip; --" AS VARCHAR)) AS "key_2",
    encode(CAST("age
of 👩_low" AS VARCHAR)) AS "key_3",
    encode(CAST("age
of 👩_high" AS VARCHAR)) AS "key_4",
    encode(CAST("SELECT" AS VARCHAR)) AS "key_5"
  FROM "staged'" AS t
) AS k
JOIN (
  SELECT
    encode(CAST("se""x" AS VARCHAR)) AS "key_1",
    encode(CAST("zip; --" AS VARCHAR)) AS "key_2",
    encode(CAST("age
of 👩_low" AS VARCHAR)) AS "key_3",
    encode(CAST("age
of 👩_high" AS VARCHAR)) AS "key_4",
    encode(CAST("SELECT" AS VARCHAR)) AS "key_5",
    COUNT(*) AS "class_size"
  FROM "staged'" AS t
  GROUP BY encode(CAST("se""x" AS VARCHAR)), encode(CAST("zip; --" AS VARCHAR)), encode(CAST("age
of 👩_low" AS VARCHAR)), encode(CAST("age
of 👩_high" AS VARCHAR)), encode(CAST("SELECT" AS VARCHAR))
) AS c
  ON "k"."key_1" IS NOT DISTINCT FROM "c"."key_1" AND "k"."key_2" IS NOT DISTINCT FROM "c"."key_2" AND "k"."key_3" IS NOT DISTINCT FROM "c"."key_3" AND "k"."key_4" IS NOT DISTINCT FROM "c"."key_4" AND "k"."key_5" IS NOT DISTINCT FROM "c"."key_5"
WHERE CASE WHEN "class_size" >= 2 THEN 0 ELSE 1 END = 1
