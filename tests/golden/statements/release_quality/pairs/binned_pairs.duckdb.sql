-- binned_pairs
CREATE TEMP TABLE "measu'red binned pairs" AS
SELECT
  p.first_quasi,
  p.second_quasi,
  a.bin AS first_value,
  b.bin AS second_value,
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM "measu'red coded values" AS p
JOIN "measu'red code bins" AS a ON a.quasi = p.first_quasi AND a.code = p.first_value
JOIN "measu'red code bins" AS b ON b.quasi = p.second_quasi AND b.code = p.second_value
GROUP BY p.first_quasi, p.second_quasi, a.bin, b.bin
