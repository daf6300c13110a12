-- count_unique_rows
SELECT
  COALESCE(SUM(alike), 0) AS row_count,
  COALESCE(SUM(CASE WHEN alike = 1 THEN 1 ELSE 0 END), 0) AS unique_rows
FROM (
  SELECT COUNT(*) AS alike
  FROM (
    SELECT
      encode(CAST("s"."vis.it" AS VARCHAR)) AS "value_1",
      encode(CAST("s"."ward 🏥" AS VARCHAR)) AS "value_2"
    FROM "the source; DROP TABLE x" AS s
  ) AS t
  GROUP BY "value_1", "value_2"
) AS u
