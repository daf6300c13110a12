-- rows_of_labels
SELECT
  0 AS number,
  COALESCE(MAX(label_rows), 0) AS most_rows
FROM (
  SELECT COUNT(*) AS label_rows
  FROM "staged'" AS t
  WHERE "t"."se""x" IS NOT NULL
  GROUP BY "t"."se""x"
) AS l
UNION ALL
SELECT
  1 AS number,
  COALESCE(MAX(label_rows), 0) AS most_rows
FROM (
  SELECT COUNT(*) AS label_rows
  FROM "staged'" AS t
  WHERE "t"."zip; --" IS NOT NULL
  GROUP BY "t"."zip; --"
) AS l
ORDER BY number
