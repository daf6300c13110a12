-- duckdb
CREATE TEMP TABLE "verdict on rows" AS
SELECT
  CASE
    WHEN ((SELECT COUNT(*) FROM "the source; DROP TABLE x") - v.row_count) * 100 > 99 * (SELECT COUNT(*) FROM "the source; DROP TABLE x")
      THEN error('more rows would be suppressed than the policy allows; make the plan again')
    WHEN v.short_classes > 0 OR v.row_count = 0
      THEN error('the staged rows fail their recount; make the plan again')
    ELSE 'passed'
  END AS verdict,
  v.*
FROM (
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  COALESCE(SUM(CASE WHEN "class_size" >= 2 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS "class_size"
  FROM "staged'" AS t
  GROUP BY encode(CAST("se""x" AS VARCHAR)), encode(CAST("zip; --" AS VARCHAR)), encode(CAST("age
of 👩_low" AS VARCHAR)), encode(CAST("age
of 👩_high" AS VARCHAR)), encode(CAST("SELECT" AS VARCHAR))
) AS classes
) AS v

-- postgres
CREATE TEMP TABLE "verdict on rows" AS
SELECT
  CASE
    WHEN ((SELECT COUNT(*) FROM "the source; DROP TABLE x") - v.row_count) * 100 > 99 * (SELECT COUNT(*) FROM "the source; DROP TABLE x")
      THEN CAST(CONCAT('more rows would be suppressed than the policy allows; make the plan again', ' (', v.row_count, ' staged)') AS INTEGER)
    WHEN v.short_classes > 0 OR v.row_count = 0
      THEN CAST(CONCAT('the staged rows fail their recount; make the plan again', ' (', v.short_classes, ' classes)') AS INTEGER)
    ELSE 1
  END AS verdict,
  v.*
FROM (
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  COALESCE(SUM(CASE WHEN "class_size" >= 2 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS "class_size"
  FROM "staged'" AS t
  GROUP BY (CAST("se""x" AS TEXT) COLLATE "C"), (CAST("zip; --" AS TEXT) COLLATE "C"), (CAST("age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("SELECT" AS TEXT) COLLATE "C")
) AS classes
) AS v

-- spark
CREATE TEMP VIEW `verdict on rows` AS
SELECT
  CASE
    WHEN ((SELECT COUNT(*) FROM `the source; DROP TABLE x`) - v.row_count) * 100 > 99 * (SELECT COUNT(*) FROM `the source; DROP TABLE x`)
      THEN RAISE_ERROR('more rows would be suppressed than the policy allows; make the plan again')
    WHEN v.short_classes > 0 OR v.row_count = 0
      THEN RAISE_ERROR('the staged rows fail their recount; make the plan again')
    ELSE 1
  END AS verdict,
  v.*
FROM (
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN(`class_size`) AS `smallest_class`,
  COALESCE(SUM(CASE WHEN `class_size` >= 2 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS `class_size`
  FROM `staged'` AS t
  GROUP BY CAST(CAST(`se"x` AS STRING) AS BINARY), CAST(CAST(`zip; --` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`SELECT` AS STRING) AS BINARY)
) AS classes
) AS v
