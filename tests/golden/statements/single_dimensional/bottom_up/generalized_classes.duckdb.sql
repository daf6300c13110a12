-- generalized_classes
CREATE TEMP TABLE "fewer" AS
SELECT
  CASE
    WHEN b."part_0" BETWEEN 0 AND 1 THEN 0
    WHEN b."part_0" BETWEEN 2 AND 2 THEN 2
    ELSE b."part_0"
  END AS "part_0",
  b."part_2",
  CAST(SUM(b.row_count) AS BIGINT) AS row_count
FROM "leaves" AS b
GROUP BY 1, 2
