-- apportioned_moves
CREATE TEMP TABLE "apportioned_moves' 4" AS
SELECT
  quasi,
  region,
  place,
  old_place,
  all_rows
FROM (
  SELECT
    c.*,
    ROW_NUMBER() OVER (PARTITION BY quasi, region ORDER BY excess, row_count DESC, place) AS nth
  FROM (
    SELECT
      o.quasi,
      o.region,
      o.place,
      MIN(o.row_count) AS row_count,
      MIN(own.all_rows) AS all_rows,
      MIN(own.place) AS old_place,
      SUM(COALESCE(r.row_count, 0) - CASE WHEN o.place = own.place THEN own.all_rows ELSE 0 END) AS excess
    FROM "apportioned_offers' 1" AS o
    JOIN "apportioned_movable' 2" AS own
      ON own.quasi = o.quasi
      AND own.region = o.region
    JOIN "apportioned_movable' 2" AS b ON b.region = o.region
    LEFT JOIN "apportioned_rest' 3" AS r
      ON r.first_quasi = CASE WHEN b.quasi < o.quasi THEN b.quasi ELSE o.quasi END
      AND r.second_quasi = CASE WHEN b.quasi < o.quasi THEN o.quasi ELSE b.quasi END
      AND r.first_place = CASE WHEN b.quasi < o.quasi THEN b.place ELSE o.place END
      AND r.second_place = CASE WHEN b.quasi < o.quasi THEN o.place WHEN b.quasi = o.quasi THEN 0 ELSE b.place END
    WHERE o.step = 0
    GROUP BY o.quasi, o.region, o.place
  ) AS c
) AS n
WHERE nth = 1
  AND place <> old_place
