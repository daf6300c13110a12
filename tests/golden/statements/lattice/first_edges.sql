-- duckdb, postgres
CREATE TEMP TABLE "ed'ges" AS
SELECT
  node AS finer,
  coarser
FROM "levels" AS l
WHERE coarser > 0

-- spark
CREATE TEMP VIEW `ed'ges` AS
SELECT
  node AS finer,
  coarser
FROM `levels` AS l
WHERE coarser > 0
