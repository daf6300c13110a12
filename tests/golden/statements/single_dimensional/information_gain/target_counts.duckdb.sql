-- target_counts
CREATE TEMP TABLE "counts of; --" AS
SELECT
  p."place_0" AS place,
  p.target,
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM "tup;les" AS p
GROUP BY p."place_0", p.target
