-- class_sizes-merged
SELECT
  class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows
FROM (
  SELECT
    COUNT(DISTINCT entity) AS class_size,
    SUM(row_count) AS row_count
  FROM (
    SELECT *
    FROM "layer of" AS t
    UNION ALL
    SELECT *
    FROM "last of" AS t
  ) AS u
  GROUP BY encode(CAST("u"."label_0" AS VARCHAR)), encode(CAST("u"."label_1" AS VARCHAR)), encode(CAST("u"."label_2" AS VARCHAR)), encode(CAST("u"."label_3" AS VARCHAR))
) AS classes
GROUP BY class_size
ORDER BY class_size
