-- local_ranks
CREATE TEMP TABLE "ra'nks" AS
SELECT
  region,
  axis,
  place,
  row_count,
  ROW_NUMBER() OVER (PARTITION BY region, axis ORDER BY place) - 1 AS local_rank
FROM (
  SELECT region, 0 AS axis, "place_0" AS place, CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM "wor'king" AS w
  GROUP BY region, "place_0"
  UNION ALL
  SELECT region, 1 AS axis, "place_1" AS place, CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM "wor'king" AS w
  GROUP BY region, "place_1"
  UNION ALL
  SELECT region, 2 AS axis, "place_2" AS place, CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM "wor'king" AS w
  GROUP BY region, "place_2"
) AS p
