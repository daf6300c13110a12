-- first_edges
CREATE TEMP TABLE "ed'ges" AS
SELECT
  node AS finer,
  coarser
FROM "levels" AS l
WHERE coarser > 0
