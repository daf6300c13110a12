-- ranked_paths
CREATE TEMP TABLE "ran'ked" AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY place) - 1 AS INTEGER) AS place,
  place AS path
FROM "tr'ee" AS a
