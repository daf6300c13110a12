-- kept_cut
CREATE TEMP TABLE "kept cu't" AS
SELECT
  CAST('a''b;--' AS VARCHAR) AS plan,
  CAST(region AS BIGINT) AS region,
  CAST(axis AS BIGINT) AS axis,
  CAST(low AS BIGINT) AS low,
  CAST(high AS BIGINT) AS high,
  CAST(child AS BIGINT) AS child
FROM (
  SELECT region, axis, low, high, child FROM "branches of rows" AS b
  UNION ALL
  SELECT region, axis, low, high, child FROM "branches of rows" AS b
  UNION ALL
  SELECT leaf AS region, CAST(NULL AS BIGINT) AS axis, region AS low, CAST(NULL AS BIGINT) AS high, CAST(NULL AS BIGINT) AS child
  FROM "mer'ged" AS g
  GROUP BY leaf, region
) AS u
