-- binned_pairs
CREATE TEMP TABLE "measu'red binned pairs" AS
WITH bins AS (
  SELECT DISTINCT
    0 AS quasi,
    k.code,
    b.bin
  FROM "measu'red bins se""x" AS b
  JOIN "measu'red codes se""x" AS k ON k.own = b.own
  UNION ALL
  SELECT DISTINCT
    1 AS quasi,
    k.code,
    b.bin
  FROM "measu'red bins zip; --" AS b
  JOIN "measu'red codes zip; --" AS k ON k.own = b.own
  UNION ALL
  SELECT DISTINCT
    2 AS quasi,
    k.code,
    b.bin
  FROM "measu'red bins age
of 👩" AS b
  JOIN "measu'red codes age
of 👩" AS k ON k.own = b.own
  UNION ALL
  SELECT DISTINCT
    3 AS quasi,
    k.code,
    b.bin
  FROM "measu'red bins SELECT" AS b
  JOIN "measu'red codes SELECT" AS k ON k.own = b.own
)
SELECT
  p.first_quasi,
  p.second_quasi,
  a.bin AS first_value,
  b.bin AS second_value,
  SUM(p.row_count) AS row_count
FROM "measu'red coded values" AS p
JOIN bins AS a ON a.quasi = p.first_quasi AND a.code = p.first_value
JOIN bins AS b ON b.quasi = p.second_quasi AND b.code = p.second_value
GROUP BY p.first_quasi, p.second_quasi, a.bin, b.bin
