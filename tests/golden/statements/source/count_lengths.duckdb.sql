-- count_lengths
SELECT
  s.length,
  COUNT(*) AS row_count
FROM (
  SELECT
    LENGTH(CASE WHEN struct_extract("s"."parts", 'group_2') <> '' THEN struct_extract("s"."parts", 'group_2') || struct_extract("s"."parts", 'group_4') || struct_extract("s"."parts", 'group_6') ELSE REGEXP_REPLACE(CAST("s"."se""x" AS VARCHAR), '[^0-9]', '', 'g') END) AS length
  FROM (
    SELECT
      "s"."se""x",
      regexp_extract(CAST("s"."se""x" AS VARCHAR), '^(?:([^0-9]*)([0-9]+)([^0-9]*)([0-9]*)([^0-9]*)([0-9]*)([^0-9]*))$', ['group_1', 'group_2', 'group_3', 'group_4', 'group_5', 'group_6', 'group_7']) AS parts
    FROM "the source; DROP TABLE x" AS s
    USING SAMPLE reservoir(10000 ROWS) REPEATABLE (1)
  ) AS s
) AS s
WHERE s.length BETWEEN 6 AND 30
GROUP BY s.length
