-- infer_values
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(row_count), 0) AS row_count,
  COALESCE(SUM(valued), 0) AS valued,
  COALESCE(SUM(CASE WHEN valued > 0 AND valued = of_first THEN 1 ELSE 0 END), 0) AS exposed_classes,
  COALESCE(SUM(CASE WHEN valued = of_first THEN valued ELSE 0 END), 0) AS exposed_rows,
  MAX(
    CASE
      WHEN valued > 0
        THEN CAST("most_frequent" AS DOUBLE) / CAST("others_left" AS DOUBLE)
    END
  ) AS highest
FROM (
  SELECT
    i.*,
    valued - of_first + most_frequent AS others_left
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
) AS c
