-- apportioned_start
CREATE TEMP TABLE "sho'wn" AS
SELECT
  quasi,
  region,
  place,
  all_rows,
  spot
FROM (
  SELECT
    k.quasi,
    k.region,
    k.place,
    k.row_count,
    k.up_to,
    s.row_count AS all_rows,
    s.spot,
    MOD(s.spot * 618034 + k.quasi * 381966, 1000000) * CASE WHEN r.row_count < s.row_count THEN s.row_count - r.row_count ELSE s.row_count END AS point
  FROM (
    SELECT
      quasi,
      region,
      place,
      row_count,
      SUM(row_count) OVER (PARTITION BY quasi, region ORDER BY place ROWS UNBOUNDED PRECEDING) AS up_to
    FROM "common'" AS c
  ) AS k
  JOIN "spots'" AS s ON s.region = k.region
  LEFT JOIN "rows of ra're" AS r
    ON r.quasi = k.quasi
    AND r.region = k.region
) AS p
WHERE up_to * 1000000 > point
  AND (up_to - row_count) * 1000000 <= point
