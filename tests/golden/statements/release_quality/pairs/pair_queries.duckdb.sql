-- pair_queries
SELECT
  q.query,
  SUM(COALESCE(c.own_rows, 0)) AS own_rows,
  SUM(COALESCE(c.expected, 0)) AS expected
FROM (
  SELECT
    value AS query,
    CAST(first_quasi AS BIGINT) AS first_quasi,
    CAST(second_quasi AS BIGINT) AS second_quasi,
    CAST(first_from AS BIGINT) AS first_from,
    CAST(first_to AS BIGINT) AS first_to,
    CAST(second_from AS BIGINT) AS second_from,
    CAST(second_to AS BIGINT) AS second_to
  FROM "ran;ges"
) AS q
JOIN "measu'red cells" AS c
  ON c.first_quasi = q.first_quasi AND c.second_quasi = q.second_quasi
  AND c.first_bin BETWEEN q.first_from AND q.first_to
  AND c.second_bin BETWEEN q.second_from AND q.second_to
GROUP BY q.query
