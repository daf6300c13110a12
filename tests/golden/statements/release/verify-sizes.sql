-- duckdb
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  COALESCE(SUM(CASE WHEN "class_size" >= 3 THEN 0 ELSE 1 END), 0) AS short_classes,
  class_size,
  GROUPING(class_size) AS of_all
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS "class_size"
  FROM "staged'" AS t
  GROUP BY encode(CAST("se""x" AS VARCHAR)), encode(CAST("zip; --" AS VARCHAR)), encode(CAST("age
of 👩_low" AS VARCHAR)), encode(CAST("age
of 👩_high" AS VARCHAR)), encode(CAST("SELECT" AS VARCHAR))
) AS classes
GROUP BY GROUPING SETS ((), (class_size))

-- postgres
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  COALESCE(SUM(CASE WHEN "class_size" >= 3 THEN 0 ELSE 1 END), 0) AS short_classes,
  class_size,
  GROUPING(class_size) AS of_all
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS "class_size"
  FROM "staged'" AS t
  GROUP BY (CAST("se""x" AS TEXT) COLLATE "C"), (CAST("zip; --" AS TEXT) COLLATE "C"), (CAST("age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("SELECT" AS TEXT) COLLATE "C")
) AS classes
GROUP BY GROUPING SETS ((), (class_size))

-- spark
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN(`class_size`) AS `smallest_class`,
  COALESCE(SUM(CASE WHEN `class_size` >= 3 THEN 0 ELSE 1 END), 0) AS short_classes,
  class_size,
  GROUPING(class_size) AS of_all
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(*) AS `class_size`
  FROM `staged'` AS t
  GROUP BY CAST(CAST(`se"x` AS STRING) AS BINARY), CAST(CAST(`zip; --` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`SELECT` AS STRING) AS BINARY)
) AS classes
GROUP BY GROUPING SETS ((), (class_size))
