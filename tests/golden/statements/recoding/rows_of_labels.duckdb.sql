-- rows_of_labels
SELECT
  0 AS number,
  COUNT(*) AS label_count,
  COALESCE(MAX(label_rows), 0) AS most_rows,
  COALESCE(SUM(CASE WHEN r.label IS NULL THEN label_rows ELSE 0 END), 0) AS kept_rows
FROM (
  SELECT
    "t"."se""x" AS label,
    COUNT(*) AS label_rows
  FROM "staged'" AS t
  WHERE "t"."se""x" IS NOT NULL
  GROUP BY "t"."se""x"
) AS l
LEFT JOIN (
  SELECT '*' AS label
) AS r ON decode(encode(CAST("l"."label" AS VARCHAR))) = r.label
UNION ALL
SELECT
  1 AS number,
  COUNT(*) AS label_count,
  COALESCE(MAX(label_rows), 0) AS most_rows,
  COALESCE(SUM(CASE WHEN r.label IS NULL THEN label_rows ELSE 0 END), 0) AS kept_rows
FROM (
  SELECT
    "t"."zip; --" AS label,
    COUNT(*) AS label_rows
  FROM "staged'" AS t
  WHERE "t"."zip; --" IS NOT NULL
  GROUP BY "t"."zip; --"
) AS l
LEFT JOIN (
  SELECT '*' AS label
) AS r ON decode(encode(CAST("l"."label" AS VARCHAR))) = r.label
ORDER BY number
