-- constant_columns
SELECT
  COUNT(*) AS all_values,
  COALESCE(SUM(CASE WHEN row_count > 1 THEN 1 ELSE 0 END), 0) AS repeated,
  COALESCE(SUM(CASE WHEN row_count > 1 THEN row_count ELSE 0 END), 0) AS repeated_rows,
  COALESCE(SUM(CASE WHEN row_count > 1 AND "low_1" = "high_1" THEN 1 ELSE 0 END), 0) AS "same_1",
  COALESCE(SUM(CASE WHEN row_count > 1 AND "low_2" = "high_2" THEN 1 ELSE 0 END), 0) AS "same_2"
FROM (
  SELECT
    COUNT(*) AS row_count,
    MIN(CAST("s"."vis.it" AS VARCHAR)) AS "low_1",
    MAX(CAST("s"."vis.it" AS VARCHAR)) AS "high_1",
    MIN(CAST("s"."se""x" AS VARCHAR)) AS "low_2",
    MAX(CAST("s"."se""x" AS VARCHAR)) AS "high_2"
  FROM "the source; DROP TABLE x" AS s
  WHERE "s"."who" IS NOT NULL
  GROUP BY "s"."who"
) AS k
