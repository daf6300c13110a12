-- count_keys
SELECT
  0 AS number,
  COUNT(*) AS all_values,
  COALESCE(SUM(CASE WHEN row_count > 1 THEN 1 ELSE 0 END), 0) AS repeated,
  COALESCE(SUM(CASE WHEN row_count > 1 AND COALESCE("low_2" = "high_2", TRUE) AND COALESCE("low_3" = "high_3", TRUE) THEN 1 ELSE 0 END), 0) AS constant
FROM (
  SELECT
    COUNT(*) AS row_count,
    MIN("value_2") AS "low_2",
    MAX("value_2") AS "high_2",
    MIN("value_3") AS "low_3",
    MAX("value_3") AS "high_3"
  FROM (
    SELECT "s"."who" AS "value_1", CAST("s"."vis.it" AS VARCHAR) AS "value_2", CAST("s"."se""x" AS VARCHAR) AS "value_3"
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
  COALESCE(SUM(CASE WHEN row_count > 1 AND COALESCE("low_2" = "high_2", TRUE) AND COALESCE("low_3" = "high_3", TRUE) THEN 1 ELSE 0 END), 0) AS constant
FROM (
  SELECT
    COUNT(*) AS row_count,
    MIN("value_2") AS "low_2",
    MAX("value_2") AS "high_2",
    MIN("value_3") AS "low_3",
    MAX("value_3") AS "high_3"
  FROM (
    SELECT "s"."na'me" AS "value_1", CAST("s"."vis.it" AS VARCHAR) AS "value_2", CAST("s"."se""x" AS VARCHAR) AS "value_3"
    FROM "the source; DROP TABLE x" AS s
  ) AS t
  WHERE "value_1" IS NOT NULL
  GROUP BY "value_1"
) AS k
ORDER BY number
