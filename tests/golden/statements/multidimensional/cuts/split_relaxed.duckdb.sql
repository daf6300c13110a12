-- split_relaxed
CREATE TEMP TABLE "dealt; after" AS
SELECT
  b.child AS region,
  "w"."place_0",
  "w"."place_1",
  "w"."place_2",
  "w"."spread_0",
  "w"."spread_1",
  "w"."entity",
  CASE WHEN b.axis IN (2) THEN w.row_count ELSE LEAST(w.up_to, b.high) - GREATEST(w.up_to - w.row_count, b.low) END AS row_count
FROM (
  SELECT
    w.*,
    CASE a.axis WHEN 0 THEN "w"."place_0" WHEN 1 THEN "w"."place_1" WHEN 2 THEN "w"."place_2" END AS place,
    CAST(SUM(w.row_count) OVER (
      PARTITION BY w.region
      ORDER BY CASE a.axis WHEN 0 THEN "w"."place_0" WHEN 1 THEN "w"."place_1" WHEN 2 THEN "w"."place_2" END, COALESCE("w"."place_0", 0), COALESCE("w"."place_1", 0), COALESCE("w"."place_2", 0), COALESCE("w"."spread_0", 0), COALESCE("w"."spread_1", 0), encode(CAST("w"."entity" AS VARCHAR))
      ROWS UNBOUNDED PRECEDING
    ) AS BIGINT) AS up_to
  FROM "wor'king" AS w
  JOIN (SELECT region, MIN(axis) AS axis FROM "branches of rows" AS b GROUP BY region) AS a ON a.region = w.region
) AS w
JOIN "branches of rows" AS b
  ON b.region = w.region
  AND CASE
    WHEN b.axis IN (2) THEN w.place BETWEEN b.low AND b.high
    ELSE w.up_to > b.low AND w.up_to - w.row_count < b.high
  END
