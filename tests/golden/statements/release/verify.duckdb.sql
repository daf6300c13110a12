-- verify-codes
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  COALESCE(SUM(CASE WHEN "class_size" >= 2 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS "class_size"
  FROM "staged; co'des" AS t
  GROUP BY "se""x"
) AS classes
