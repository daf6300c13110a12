-- duckdb, postgres
SELECT
  COUNT("na'me") - COUNT(DISTINCT "na'me"),
  COUNT("who") - COUNT(DISTINCT "who")
FROM "the source; DROP TABLE x"

-- spark
SELECT
  COUNT(`na'me`) - COUNT(DISTINCT `na'me`),
  COUNT(`who`) - COUNT(DISTINCT `who`)
FROM `the source; DROP TABLE x`
