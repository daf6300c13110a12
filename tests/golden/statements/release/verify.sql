-- duckdb
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  MIN("measure_1") AS "least_1",
  MIN("measure_2") AS "least_2",
  COALESCE(SUM(CASE WHEN "class_size" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(DISTINCT "_kanon_entity") AS "class_size",
    COUNT(DISTINCT "dis'ease") AS "measure_1",
    COUNT(DISTINCT "ward 🏥")
    + MAX(CASE WHEN "ward 🏥" IS NULL THEN 1 ELSE 0 END) AS "measure_2"
  FROM "staged'" AS t
  GROUP BY encode(CAST("se""x" AS VARCHAR)), encode(CAST("zip; --" AS VARCHAR)), encode(CAST("age
of 👩_low" AS VARCHAR)), encode(CAST("age
of 👩_high" AS VARCHAR)), encode(CAST("SELECT" AS VARCHAR))
) AS classes

-- postgres
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN("class_size") AS "smallest_class",
  MIN("measure_1") AS "least_1",
  MIN("measure_2") AS "least_2",
  COALESCE(SUM(CASE WHEN "class_size" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(DISTINCT "_kanon_entity") AS "class_size",
    COUNT(DISTINCT "dis'ease") AS "measure_1",
    COUNT(DISTINCT "ward 🏥")
    + MAX(CASE WHEN "ward 🏥" IS NULL THEN 1 ELSE 0 END) AS "measure_2"
  FROM "staged'" AS t
  GROUP BY (CAST("se""x" AS TEXT) COLLATE "C"), (CAST("zip; --" AS TEXT) COLLATE "C"), (CAST("age
of 👩_low" AS TEXT) COLLATE "C"), (CAST("age
of 👩_high" AS TEXT) COLLATE "C"), (CAST("SELECT" AS TEXT) COLLATE "C")
) AS classes

-- spark
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(class_rows), 0) AS row_count,
  MIN(`class_size`) AS `smallest_class`,
  MIN(`measure_1`) AS `least_1`,
  MIN(`measure_2`) AS `least_2`,
  COALESCE(SUM(CASE WHEN `class_size` >= 2 AND `measure_1` >= 2 AND `measure_2` >= 1 THEN 0 ELSE 1 END), 0) AS short_classes
FROM (
  SELECT
    COUNT(*) AS class_rows,
    COUNT(DISTINCT `_kanon_entity`) AS `class_size`,
    COUNT(DISTINCT `dis'ease`) AS `measure_1`,
    COUNT(DISTINCT `ward 🏥`)
    + MAX(CASE WHEN `ward 🏥` IS NULL THEN 1 ELSE 0 END) AS `measure_2`
  FROM `staged'` AS t
  GROUP BY CAST(CAST(`se"x` AS STRING) AS BINARY), CAST(CAST(`zip; --` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_low` AS STRING) AS BINARY), CAST(CAST(`age
of 👩_high` AS STRING) AS BINARY), CAST(CAST(`SELECT` AS STRING) AS BINARY)
) AS classes
