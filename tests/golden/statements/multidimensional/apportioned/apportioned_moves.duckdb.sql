-- apportioned_moves
CREATE TEMP TABLE "apportioned_moves' 3" AS
SELECT
  quasi,
  region,
  place,
  old_place,
  all_rows
FROM (
  SELECT
    c.*,
    LAG(quasi) OVER in_order AS quasi_before,
    LAG(region) OVER in_order AS region_before
  FROM (
    SELECT
      o.quasi,
      o.region,
      o.place,
      o.row_count,
      o.old_place,
      o.all_rows,
      SUM(COALESCE(r.row_count, 0)) - CASE WHEN o.place = o.old_place THEN o.all_rows * 2 ELSE 0 END AS excess
    FROM "apportioned_offers' 0" AS o
    JOIN "apportioned_movable' 1" AS b ON b.region = o.region
    LEFT JOIN (
      SELECT
        first_quasi,
        second_quasi,
        first_place,
        second_place,
        row_count
      FROM "apportioned_rest' 2" AS t
    ) AS r
      ON r.first_quasi = CASE WHEN b.quasi < o.quasi THEN b.quasi ELSE o.quasi END
      AND r.second_quasi = CASE WHEN b.quasi < o.quasi THEN o.quasi ELSE b.quasi END
      AND r.first_place = CASE WHEN b.quasi < o.quasi THEN b.place ELSE o.place END
      AND r.second_place = CASE WHEN b.quasi < o.quasi THEN o.place WHEN b.quasi = o.quasi THEN 0 ELSE b.place END
    WHERE o.step = 0
    GROUP BY o.quasi, o.region, o.place, o.row_count, o.old_place, o.all_rows
  ) AS c
  WINDOW in_order AS (ORDER BY quasi, region, excess, row_count DESC, place)
) AS n
WHERE (quasi_before IS NULL OR quasi_before <> quasi OR region_before <> region)
  AND place <> old_place
