-- require
CREATE TEMP TABLE "verdict; --" AS
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
) AS v
