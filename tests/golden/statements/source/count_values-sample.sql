-- duckdb, postgres
SELECT
  COUNT(*) AS row_count,
  COUNT(DISTINCT "value_1"),
  COUNT(DISTINCT "value_2")
FROM (
  SELECT "s"."vis.it" AS "value_1", "s"."ward 🏥" AS "value_2"
  FROM "the source; DROP TABLE x" AS s
  LIMIT 5
) AS t

-- spark
SELECT
  COUNT(*) AS row_count,
  COUNT(DISTINCT `value_1`),
  COUNT(DISTINCT `value_2`)
FROM (
  SELECT `s`.`vis.it` AS `value_1`, `s`.`ward 🏥` AS `value_2`
  FROM `the source; DROP TABLE x` AS s
  LIMIT 5
) AS t
