-- require
CREATE TEMP TABLE "verdict; --" AS
SELECT
  CASE
    WHEN getvariable('kanon_inner_7191c3cf') IS NULL THEN error('a secret key is missing')
    WHEN getvariable('kanon_outer_7191c3cf') IS NULL THEN error('a secret key is missing')
    WHEN (SELECT COUNT(*) FROM glob('re''lease*')) > 0 THEN error('there is a release already; move it away first')
    WHEN v.row_count + (SELECT COALESCE(SUM(row_count), 0) FROM "failing'")
      <> (SELECT COUNT(*) FROM "the source; DROP TABLE x")
      THEN error('the source has rows that the plan''s recoding does not assign; make the plan again')
    WHEN (SELECT COUNT(*) FROM "the source; DROP TABLE x") - v.row_count > 99
      THEN error('more rows would be suppressed than the policy allows; make the plan again')
    WHEN (SELECT COUNT("na'me") - COUNT(DISTINCT "na'me") FROM "staged'") > 0
      THEN error('a pseudonym repeats, and would join the rows of a person')
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
) AS v
