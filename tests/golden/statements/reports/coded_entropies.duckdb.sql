-- coded_entropies
SELECT
  first_quasi,
  second_quasi,
  COALESCE(SUM(row_count * CAST(ROUND(LN("row_count"), 9) AS DECIMAL(12, 9))), 0) AS logarithms
FROM "measu'red coded values" AS c
WHERE second_quasi < 3
GROUP BY first_quasi, second_quasi
ORDER BY first_quasi, second_quasi
