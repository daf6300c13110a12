-- apportioned_lone_moves
CREATE TEMP TABLE "apportioned_moves' 12" AS
SELECT
  quasi,
  region,
  place,
  old_place,
  all_rows
FROM (
  SELECT
    e.*,
    LAG(region) OVER (ORDER BY region, excess, row_count DESC, quasi, place) AS region_before
  FROM (
    SELECT
      o.quasi,
      o.region,
      o.place,
      o.row_count,
      o.old_place,
      o.all_rows,
      SUM(o.side * COALESCE(r.row_count, 0)) AS excess
    FROM (
      SELECT
        f.*,
        b.quasi AS other,
        b.place AS other_place,
        f.place AS at,
        1 AS side
      FROM "apportioned_lone' 10" AS f
      JOIN "apportioned_movable' 11" AS b ON b.region = f.region
      WHERE f.step = 0
      UNION ALL
      SELECT
        f.*,
        b.quasi AS other,
        b.place AS other_place,
        f.old_place AS at,
        -1 AS side
      FROM "apportioned_lone' 10" AS f
      JOIN "apportioned_movable' 11" AS b ON b.region = f.region
      WHERE f.step = 0
    ) AS o
    LEFT JOIN (
      SELECT
        first_quasi,
        second_quasi,
        first_place,
        second_place,
        row_count
      FROM "apportioned_rest' 2" AS t
      UNION ALL
      SELECT
        first_quasi,
        second_quasi,
        first_place,
        second_place,
        row_count
      FROM "apportioned_changes' 7" AS t
    ) AS r
      ON r.first_quasi = CASE WHEN o.other < o.quasi THEN o.other ELSE o.quasi END
      AND r.second_quasi = CASE WHEN o.other < o.quasi THEN o.quasi ELSE o.other END
      AND r.first_place = CASE WHEN o.other < o.quasi THEN o.other_place ELSE o.at END
      AND r.second_place = CASE WHEN o.other < o.quasi THEN o.at WHEN o.other = o.quasi THEN 0 ELSE o.other_place END
    GROUP BY o.quasi, o.region, o.place, o.row_count, o.old_place, o.all_rows
  ) AS e
) AS n
WHERE region_before IS NULL
  OR region_before <> region
