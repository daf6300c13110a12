-- duckdb, postgres
SELECT
  0 AS number,
  COUNT(*) AS unique_rows
FROM (
  SELECT "value_1"
  FROM (
    SELECT "s"."vis.it" AS "value_1"
    FROM "the source; DROP TABLE x" AS s
  ) AS t
  WHERE "value_1" IS NOT NULL
  GROUP BY "value_1"
  HAVING COUNT(*) = 1
) AS u
UNION ALL
SELECT
  1 AS number,
  COUNT(*) AS unique_rows
FROM (
  SELECT "value_1"
  FROM (
    SELECT "s"."ward 🏥" AS "value_1"
    FROM "the source; DROP TABLE x" AS s
  ) AS t
  WHERE "value_1" IS NOT NULL
  GROUP BY "value_1"
  HAVING COUNT(*) = 1
) AS u
ORDER BY number

-- spark
SELECT
  0 AS number,
  COUNT(*) AS unique_rows
FROM (
  SELECT `value_1`
  FROM (
    SELECT `s`.`vis.it` AS `value_1`
    FROM `the source; DROP TABLE x` AS s
  ) AS t
  WHERE `value_1` IS NOT NULL
  GROUP BY `value_1`
  HAVING COUNT(*) = 1
) AS u
UNION ALL
SELECT
  1 AS number,
  COUNT(*) AS unique_rows
FROM (
  SELECT `value_1`
  FROM (
    SELECT `s`.`ward 🏥` AS `value_1`
    FROM `the source; DROP TABLE x` AS s
  ) AS t
  WHERE `value_1` IS NOT NULL
  GROUP BY `value_1`
  HAVING COUNT(*) = 1
) AS u
ORDER BY number
