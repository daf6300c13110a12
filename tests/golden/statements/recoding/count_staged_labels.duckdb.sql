-- count_staged_labels
SELECT
  0 AS column_number,
  COUNT(*) AS labels,
  COALESCE(MIN(label_rows), 0) AS least_rows
FROM (
  SELECT COUNT(*) AS label_rows
  FROM "staged; co'des" AS t
  WHERE "t"."se""x" IS NOT NULL
  GROUP BY "t"."se""x"
) AS l
UNION ALL
SELECT
  1 AS column_number,
  COUNT(*) AS labels,
  COALESCE(MIN(label_rows), 0) AS least_rows
FROM (
  SELECT COUNT(*) AS label_rows
  FROM "staged; co'des" AS t
  WHERE "t"."ward 🏥" IS NOT NULL
  GROUP BY "t"."ward 🏥"
) AS l
