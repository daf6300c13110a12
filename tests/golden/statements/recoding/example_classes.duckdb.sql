-- example_classes-weighted
SELECT
  "label_1",
  "label_2",
  "label_3",
  "label_4",
  "label_5",
  class_rows,
  class_size
FROM (
  SELECT
    c.*,
    CONCAT(
      COALESCE(LENGTH("c"."label_1") || ':' || "c"."label_1", 'NULL'),
      ',',
      COALESCE(LENGTH("c"."label_2") || ':' || "c"."label_2", 'NULL'),
      ',',
      COALESCE(LENGTH("c"."label_3") || ':' || "c"."label_3", 'NULL'),
      ',',
      COALESCE(LENGTH("c"."label_4") || ':' || "c"."label_4", 'NULL'),
      ',',
      COALESCE(LENGTH("c"."label_5") || ':' || "c"."label_5", 'NULL'),
      ','
    ) AS row_text
  FROM (
    SELECT
      decode("k"."key_1") AS "label_1",
      decode("k"."key_2") AS "label_2",
      decode("k"."key_3") AS "label_3",
      decode("k"."key_4") AS "label_4",
      decode("k"."key_5") AS "label_5",
      class_rows,
      class_size
    FROM (
      SELECT
        encode(CAST("t"."se""x" AS VARCHAR)) AS "key_1",
        encode(CAST("t"."zip; --" AS VARCHAR)) AS "key_2",
        encode(CAST("t"."age
of 👩_low" AS VARCHAR)) AS "key_3",
        encode(CAST("t"."age
of 👩_high" AS VARCHAR)) AS "key_4",
        encode(CAST("t"."SELECT" AS VARCHAR)) AS "key_5",
        CAST(SUM("t"."rows""") AS BIGINT) AS class_rows,
        CAST(SUM("t"."rows""") AS BIGINT) AS class_size
      FROM "staged 'classes" AS t
      GROUP BY encode(CAST("t"."se""x" AS VARCHAR)), encode(CAST("t"."zip; --" AS VARCHAR)), encode(CAST("t"."age
of 👩_low" AS VARCHAR)), encode(CAST("t"."age
of 👩_high" AS VARCHAR)), encode(CAST("t"."SELECT" AS VARCHAR))
    ) AS k
    WHERE class_size >= 2
  ) AS c
) AS r
ORDER BY (CAST(md5_number("r"."row_text") & 18446744073709551615 AS UBIGINT) >> 4)
LIMIT 5
