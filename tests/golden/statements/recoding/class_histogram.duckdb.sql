-- class_histogram
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(class_rows) AS row_count
FROM (
SELECT
  "key_1",
  "key_2",
  "key_3",
  "key_4",
  "key_5",
  COUNT(*) AS class_rows,
  COUNT(*) AS class_size
FROM (
  SELECT
    encode(CAST("t"."se""x" AS VARCHAR)) AS "key_1",
    encode(CAST("t"."zip; --" AS VARCHAR)) AS "key_2",
    encode(CAST("t"."age
of 👩_low" AS VARCHAR)) AS "key_3",
    encode(CAST("t"."age
of 👩_high" AS VARCHAR)) AS "key_4",
    encode(CAST("t"."SELECT" AS VARCHAR)) AS "key_5"
  FROM "staged'" AS t
) AS p
GROUP BY "key_1", "key_2", "key_3", "key_4", "key_5"
) AS c
GROUP BY class_size
ORDER BY class_size
