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
    k.all_rows,
    k.spot,
    MOD(k.spot * 618034 + k.quasi * 381966, 1000000) * CASE WHEN r.row_count < k.all_rows THEN k.all_rows - r.row_count ELSE k.all_rows END AS point
  FROM (
    SELECT
      c.quasi,
      c.region,
      c.place,
      c.row_count,
      s.row_count AS all_rows,
      s.spot,
      SUM(c.row_count) OVER (PARTITION BY c.quasi, c.region ORDER BY c.place ROWS UNBOUNDED PRECEDING) AS up_to
    FROM "common'" AS c
    JOIN "spots'" AS s ON s.region = c.region
    WHERE c.row_count < s.row_count
  ) AS k
  LEFT JOIN "rows of ra're" AS r
    ON r.quasi = k.quasi
    AND r.region = k.region
) AS p
WHERE up_to * 1000000 > point
  AND (up_to - row_count) * 1000000 <= point
UNION ALL
SELECT
  c.quasi,
  c.region,
  c.place,
  c.row_count AS all_rows,
  s.spot
FROM "common'" AS c
JOIN "spots'" AS s ON s.region = c.region
WHERE c.row_count = s.row_count
