-- apportioned_spots
CREATE TEMP TABLE "spots'" AS
SELECT
  region,
  row_count,
  CAST(ROW_NUMBER() OVER (ORDER BY MOD(nth * 7919, 104729), nth) - 1 AS BIGINT) AS spot
FROM (
  SELECT
    region,
    CAST(SUM(row_count) AS BIGINT) AS row_count,
    CAST(ROW_NUMBER() OVER (ORDER BY region) AS BIGINT) AS nth
  FROM "counts'" AS c
  WHERE quasi = 0
  GROUP BY region
) AS r
