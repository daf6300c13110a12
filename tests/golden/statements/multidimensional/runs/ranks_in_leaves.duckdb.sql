-- ranks_in_leaves
CREATE TEMP TABLE "ranks of long li'nes" AS
SELECT
  region,
  axis,
  place,
  ROW_NUMBER() OVER (PARTITION BY region, axis ORDER BY place) - 1 AS local_rank
FROM (
  SELECT w.region, 1 AS axis, w."place_1" AS place
  FROM "wor'king" AS w
  JOIN "ord'ers" AS o ON o.region = w.region
  WHERE o."axis_2" <> 1
  GROUP BY w.region, w."place_1"
  UNION ALL
  SELECT w.region, 2 AS axis, w."place_2" AS place
  FROM "wor'king" AS w
  JOIN "ord'ers" AS o ON o.region = w.region
  WHERE o."axis_2" <> 2
  GROUP BY w.region, w."place_2"
) AS p
