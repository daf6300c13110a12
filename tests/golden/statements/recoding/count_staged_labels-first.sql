-- duckdb
SELECT
  0 AS column_number,
  COUNT(*) AS labels,
  COALESCE(MIN(label_rows), 0) AS least_rows
FROM (
  SELECT COUNT(*) AS label_rows
  FROM (SELECT "t"."se""x" FROM "staged; co'des" AS t LIMIT 9) AS t
  WHERE "t"."se""x" IS NOT NULL
  GROUP BY "t"."se""x"
) AS l
