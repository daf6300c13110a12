-- pair_sums
SELECT
  first_quasi,
  second_quasi,
  SUM(own_rows) AS own_rows,
  SUM(expected) AS expected,
  SUM(ABS(own_rows - expected)) AS distance,
  SUM(
    (own_rows + expected)
    * (expected / (own_rows + expected) - CAST(10 AS DOUBLE) / CAST(20 AS DOUBLE))
    * (expected / (own_rows + expected) - CAST(10 AS DOUBLE) / CAST(20 AS DOUBLE))
  ) AS squares
FROM (
  SELECT
    first_quasi,
    second_quasi,
    COALESCE(own_rows, 0) AS own_rows,
    COALESCE(expected, 0) AS expected
  FROM "measu'red cells"
) AS c
WHERE own_rows + expected > 0
GROUP BY first_quasi, second_quasi
ORDER BY first_quasi, second_quasi
