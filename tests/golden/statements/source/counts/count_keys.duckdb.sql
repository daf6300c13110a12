-- count_keys
SELECT
  0 AS number,
  COUNT(*) AS all_values,
  COALESCE(SUM(CASE WHEN row_count > 1 THEN 1 ELSE 0 END), 0) AS repeated,
  COALESCE(SUM(CASE WHEN row_count > 1 AND "same_2" <= 1 AND "same_3" <= 1 THEN 1 ELSE 0 END), 0) AS constant
FROM (
  SELECT
    COUNT(*) AS row_count,
    COUNT(DISTINCT "value_2") AS "same_2",
    COUNT(DISTINCT "value_3") AS "same_3"
  FROM (
    SELECT "s"."who" AS "value_1", "s"."vis.it" AS "value_2", "s"."se""x" AS "value_3"
    FROM "the source; DROP TABLE x" AS s
  ) AS t
  WHERE "value_1" IS NOT NULL
  GROUP BY "value_1"
) AS k
UNION ALL
SELECT
  1 AS number,
  COUNT(*) AS all_values,
  COALESCE(SUM(CASE WHEN row_count > 1 THEN 1 ELSE 0 END), 0) AS repeated,
  COALESCE(SUM(CASE WHEN row_count > 1 AND "same_2" <= 1 AND "same_3" <= 1 THEN 1 ELSE 0 END), 0) AS constant
FROM (
  SELECT
    COUNT(*) AS row_count,
    COUNT(DISTINCT "value_2") AS "same_2",
    COUNT(DISTINCT "value_3") AS "same_3"
  FROM (
    SELECT "s"."na'me" AS "value_1", "s"."vis.it" AS "value_2", "s"."se""x" AS "value_3"
    FROM "the source; DROP TABLE x" AS s
  ) AS t
  WHERE "value_1" IS NOT NULL
  GROUP BY "value_1"
) AS k
ORDER BY number
