-- binned_values
CREATE TEMP TABLE "measu'red bins se""x" AS
SELECT
  v.value,
  v.own,
  v.label,
  p.bin
FROM "measu'red values se""x" AS v
JOIN (
  SELECT
    place,
    CASE
      WHEN different <= 64 THEN spot
      ELSE CAST(FLOOR(CAST("spot" AS DOUBLE) * 64 / CAST("different" AS DOUBLE)) AS BIGINT)
    END AS bin
  FROM (
    SELECT
      place,
      ROW_NUMBER() OVER (ORDER BY place) - 1 AS spot,
      COUNT(*) OVER () AS different
    FROM (
      SELECT DISTINCT place
      FROM "measu'red values se""x"
    ) AS d
  ) AS s
) AS p ON p.place = v.place
