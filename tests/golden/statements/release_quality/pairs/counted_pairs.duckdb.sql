-- counted_pairs
CREATE TEMP TABLE "measu'red own" AS
SELECT
  first_quasi,
  second_quasi,
  first_value,
  second_value,
  SUM(row_count) AS row_count
FROM (
  SELECT
    p.first_quasi,
    p.second_quasi,
    CASE p.first_quasi WHEN 0 THEN "value_0" WHEN 1 THEN "value_1" WHEN 2 THEN "value_2" WHEN 3 THEN "value_3" END AS first_value,
    CASE p.second_quasi WHEN 0 THEN "value_0" WHEN 1 THEN "value_1" WHEN 2 THEN "value_2" WHEN 3 THEN "value_3" END AS second_value,
    c.row_count
  FROM "measu'red bins of tuples" AS c
  CROSS JOIN (
    SELECT 0 AS first_quasi, 1 AS second_quasi
    UNION ALL
    SELECT 0 AS first_quasi, 2 AS second_quasi
    UNION ALL
    SELECT 0 AS first_quasi, 3 AS second_quasi
    UNION ALL
    SELECT 1 AS first_quasi, 2 AS second_quasi
    UNION ALL
    SELECT 1 AS first_quasi, 3 AS second_quasi
    UNION ALL
    SELECT 2 AS first_quasi, 3 AS second_quasi
  ) AS p
) AS r
GROUP BY first_quasi, second_quasi, first_value, second_value
