-- duckdb
CREATE TEMP TABLE "second verdict" AS
SELECT
  CASE
    WHEN (SELECT MIN(sha256(content)) FROM read_blob('jo''bs.csv')) IS DISTINCT FROM '036b7d7e66bc04d65969c6a398ab33da0412ed9c38980d29c81823574cd28ccb' THEN error('a hierarchy, or the boundaries, changed since the script was printed; make the plan again')
    WHEN v.row_count + (SELECT COALESCE(SUM(row_count), 0) FROM "failing'")
      <> (SELECT COUNT(*) FROM "the source; DROP TABLE x")
      THEN error('the source has rows that the plan''s recoding does not assign; make the plan again')
    WHEN (SELECT COUNT(*) FROM "the source; DROP TABLE x") - v.row_count > 99
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
WHERE EXISTS (SELECT 1 FROM "verdict; --" AS a)

-- postgres
CREATE TEMP TABLE "second verdict" AS
SELECT
  CASE
    WHEN v.row_count + (SELECT COALESCE(SUM(row_count), 0) FROM "failing'")
      <> (SELECT COUNT(*) FROM "the source; DROP TABLE x")
      THEN CAST(CONCAT('the source has rows that the plan''s recoding does not assign; make the plan again', ' (', v.row_count, ' staged)') AS INTEGER)
    WHEN (SELECT COUNT(*) FROM "the source; DROP TABLE x") - v.row_count > 99
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
WHERE EXISTS (SELECT 1 FROM "verdict; --" AS a)

-- spark
CREATE TEMP VIEW `second verdict` AS
SELECT
  CASE
    WHEN (SELECT a.verdict FROM `verdict; --` AS a) <> 1 THEN 0
    WHEN v.row_count + (SELECT COALESCE(SUM(row_count), 0) FROM `failing'`)
      <> (SELECT COUNT(*) FROM `the source; DROP TABLE x`)
      THEN RAISE_ERROR('the source has rows that the plan\'s recoding does not assign; make the plan again')
    WHEN (SELECT COUNT(*) FROM `the source; DROP TABLE x`) - v.row_count > 99
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
