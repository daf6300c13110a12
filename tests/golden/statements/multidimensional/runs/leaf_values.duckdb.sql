-- leaf_values
CREATE TEMP TABLE "leaf val'ues" AS
SELECT
  region,
  0 AS axis,
  COUNT(*) AS radix,
  SUM(row_count * row_count) AS alike
FROM (
  SELECT region, CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM "wor'king" AS w
  GROUP BY region, "place_0"
) AS "p0"
GROUP BY region
UNION ALL
SELECT
  region,
  1 AS axis,
  COUNT(*) AS radix,
  SUM(row_count * row_count) AS alike
FROM (
  SELECT region, CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM "wor'king" AS w
  GROUP BY region, "place_1"
) AS "p1"
GROUP BY region
UNION ALL
SELECT
  region,
  2 AS axis,
  COUNT(*) AS radix,
  SUM(row_count * row_count) AS alike
FROM (
  SELECT region, CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM "wor'king" AS w
  GROUP BY region, "place_2"
) AS "p2"
GROUP BY region
