-- label_totals
SELECT
  COALESCE(SUM(u.row_count * u."leaves_0"), 0) AS "total_0",
  COALESCE(SUM(u.row_count * CAST(ROUND(LN("u"."shared_0"), 9) AS DECIMAL(12, 9))), 0) AS "logarithms_0",
  COALESCE(SUM(u.row_count * u."leaves_1"), 0) AS "total_1",
  COALESCE(SUM(u.row_count * CAST(ROUND(LN("u"."shared_1"), 9) AS DECIMAL(12, 9))), 0) AS "logarithms_1",
  COALESCE(SUM(u.row_count * u."leaves_2"), 0) AS "total_2",
  COALESCE(SUM(u.row_count * CAST(ROUND(LN("u"."shared_2"), 9) AS DECIMAL(12, 9))), 0) AS "logarithms_2",
  COALESCE(SUM(u.row_count * u."leaves_3"), 0) AS "total_3",
  COALESCE(SUM(u.row_count * CAST(ROUND(LN("u"."shared_3"), 9) AS DECIMAL(12, 9))), 0) AS "logarithms_3"
FROM (
  SELECT *
  FROM "layer of" AS t
  UNION ALL
  SELECT *
  FROM "last of" AS t
) AS u
