-- unfit_classes-weighed
CREATE TEMP TABLE "failing of weighed" AS
SELECT
  t."class_0",
  t."class_1",
  t."class_2",
  t."class_3",
  SUM(t.row_count) AS row_count
FROM "classes of weighed" AS t
WHERE NOT EXISTS (
  SELECT 1
  FROM "fitting of weighed" AS f
  WHERE f."class_0" = t."class_0" AND f."class_1" = t."class_1" AND f."class_2" = t."class_2" AND f."class_3" = t."class_3"
)
GROUP BY 1, 2, 3, 4
