-- exposed_classes
SELECT
  "key_0",
  "key_1",
  value_text,
  valued
FROM (
SELECT
  "key_0",
  "key_1",
  SUM(row_count) AS row_count,
  SUM(valued) AS valued,
  MAX(valued) AS most_frequent,
  SUM(CASE WHEN place <= 2 THEN valued ELSE 0 END) AS of_first,
  MAX(CASE WHEN place = 1 THEN value_text END) AS value_text
FROM (
  SELECT
    v.*,
    ROW_NUMBER() OVER (
      PARTITION BY "key_0", "key_1"
      ORDER BY valued DESC, encode(CAST("value_text" AS VARCHAR)) NULLS LAST
    ) AS place
  FROM (
    SELECT
      decode(encode(CAST("t"."se""x" AS VARCHAR))) AS "key_0",
      decode(encode(CAST("t"."zip; --" AS VARCHAR))) AS "key_1",
      MAX(decode(encode(CAST("t"."dis'ease" AS VARCHAR)))) AS value_text,
      COUNT(*) AS row_count,
      COUNT("t"."dis'ease") AS valued
    FROM "the source; DROP TABLE x" AS t
    GROUP BY decode(encode(CAST("t"."se""x" AS VARCHAR))), decode(encode(CAST("t"."zip; --" AS VARCHAR))), "t"."dis'ease"
  ) AS v
) AS p
GROUP BY "key_0", "key_1"
) AS i
WHERE valued > 0 AND valued = of_first
ORDER BY encode(CAST("key_0" AS VARCHAR)) NULLS FIRST, encode(CAST("key_1" AS VARCHAR)) NULLS FIRST
LIMIT 3
