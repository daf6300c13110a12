-- all_paths_complete-full
CREATE TEMP TABLE "all full" AS
SELECT
  quasi,
  value,
  "level_1",
  COUNT(*) OVER (PARTITION BY quasi, "level_1") AS "leaves_1",
  "level_2",
  COUNT(*) OVER (PARTITION BY quasi, "level_2") AS "leaves_2"
FROM (
  SELECT
    quasi,
    value,
    "level_1",
    "level_2"
  FROM "all path's" AS p
) AS u
