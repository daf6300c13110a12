-- merged_classes
SELECT
  COUNT(*) AS classes,
  COALESCE(MIN(class_size), 0) AS smallest,
  COALESCE(SUM(row_count * row_count), 0) AS squares
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
