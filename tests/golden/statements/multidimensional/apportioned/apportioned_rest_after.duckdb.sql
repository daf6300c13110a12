-- apportioned_rest_after
CREATE TEMP TABLE "apportioned_changes' 4" AS
SELECT
  first_quasi,
  second_quasi,
  first_place,
  second_place,
  CAST(SUM(row_count) AS BIGINT) AS row_count
FROM (
  SELECT
    CASE WHEN b.quasi < m.quasi THEN b.quasi ELSE m.quasi END AS first_quasi,
    CASE WHEN b.quasi < m.quasi THEN m.quasi ELSE b.quasi END AS second_quasi,
    CASE WHEN b.quasi < m.quasi THEN b.place ELSE m.place END AS first_place,
    CASE WHEN b.quasi < m.quasi THEN m.place WHEN b.quasi = m.quasi THEN 0 ELSE b.place END AS second_place,
    m.row_count
  FROM (
    SELECT
      quasi,
      region,
      place,
      all_rows AS row_count
    FROM "apportioned_moves' 3" AS t
    UNION ALL
    SELECT
      quasi,
      region,
      old_place AS place,
      -all_rows AS row_count
    FROM "apportioned_moves' 3" AS t
  ) AS m
  JOIN "apportioned_movable' 1" AS b ON b.region = m.region
) AS c
GROUP BY first_quasi, second_quasi, first_place, second_place
HAVING SUM(row_count) <> 0
