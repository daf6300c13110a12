-- short_classes
CREATE TEMP TABLE "short'classes" AS
SELECT
  "key_1",
  "key_2",
  "key_3",
  "key_4",
  "key_5"
FROM (
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
WHERE CASE WHEN "class_size" >= 2 THEN 0 ELSE 1 END = 1
