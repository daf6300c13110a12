-- apportioned_rest
CREATE TEMP TABLE "apportioned_rest' 2" AS
SELECT
  first_quasi,
  second_quasi,
  first_place,
  second_place,
  CAST(SUM(row_count) AS BIGINT) AS row_count
FROM (
  SELECT
    a.quasi AS first_quasi,
    b.quasi AS second_quasi,
    a.place AS first_place,
    CASE WHEN a.quasi = b.quasi THEN 0 ELSE b.place END AS second_place,
    CAST(SUM(a.all_rows) AS BIGINT) AS row_count
  FROM "sho'wn" AS a
  JOIN "sho'wn" AS b
    ON b.region = a.region
    AND b.quasi >= a.quasi
  GROUP BY a.quasi, b.quasi, a.place, CASE WHEN a.quasi = b.quasi THEN 0 ELSE b.place END
  UNION ALL
  SELECT
    first_quasi,
    second_quasi,
    first_place,
    second_place,
    -row_count AS row_count
  FROM "pa'irs" AS p
) AS c
GROUP BY first_quasi, second_quasi, first_place, second_place
HAVING SUM(row_count) <> 0
