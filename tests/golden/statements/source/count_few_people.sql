-- duckdb
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(CASE WHEN people < 5 THEN 1 ELSE 0 END), 0) AS few,
  COALESCE(SUM(CASE WHEN people < 5 AND people = 1 THEN 1 ELSE 0 END), 0) AS of_one
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(DISTINCT "t"."who") + COUNT(*) - COUNT("t"."who") AS people
  FROM "the source; DROP TABLE x" AS t
  GROUP BY encode(CAST("t"."vis.it" AS VARCHAR)), encode(CAST("t"."ward 🏥" AS VARCHAR))
) AS c
WHERE class_rows >= 5

-- postgres
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(CASE WHEN people < 5 THEN 1 ELSE 0 END), 0) AS few,
  COALESCE(SUM(CASE WHEN people < 5 AND people = 1 THEN 1 ELSE 0 END), 0) AS of_one
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(DISTINCT "t"."who") + COUNT(*) - COUNT("t"."who") AS people
  FROM "the source; DROP TABLE x" AS t
  GROUP BY (CAST("t"."vis.it" AS TEXT) COLLATE "C"), (CAST("t"."ward 🏥" AS TEXT) COLLATE "C")
) AS c
WHERE class_rows >= 5

-- spark
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(CASE WHEN people < 5 THEN 1 ELSE 0 END), 0) AS few,
  COALESCE(SUM(CASE WHEN people < 5 AND people = 1 THEN 1 ELSE 0 END), 0) AS of_one
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(DISTINCT `t`.`who`) + COUNT(*) - COUNT(`t`.`who`) AS people
  FROM `the source; DROP TABLE x` AS t
  GROUP BY CAST(CAST(`t`.`vis.it` AS STRING) AS BINARY), CAST(CAST(`t`.`ward 🏥` AS STRING) AS BINARY)
) AS c
WHERE class_rows >= 5
