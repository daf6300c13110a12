-- rows_in_joined_classes
SELECT
  0 AS number,
  COALESCE(SUM(CASE WHEN class_rows >= 2 THEN class_rows ELSE 0 END), 0) AS row_count
FROM (
  SELECT COUNT(*) AS class_rows
  FROM "staged'" AS t
  GROUP BY "t"."se""x", "t"."zip; --"
) AS c
UNION ALL
SELECT
  1 AS number,
  COALESCE(SUM(CASE WHEN class_rows >= 2 THEN class_rows ELSE 0 END), 0) AS row_count
FROM (
  SELECT COUNT(*) AS class_rows
  FROM "staged'" AS t
) AS c
ORDER BY number
