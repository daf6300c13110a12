-- coded_pairs
CREATE TEMP TABLE "measu'red coded values" AS
SELECT
  0 AS first_quasi,
  1 AS second_quasi,
  "key_0" AS first_value,
  "key_1" AS second_value,
  CAST(SUM(row_count) AS BIGINT) AS row_count
FROM "measu'red coded" AS t
GROUP BY "key_0", "key_1"
UNION ALL
SELECT
  0 AS first_quasi,
  2 AS second_quasi,
  "key_0" AS first_value,
  "key_2" AS second_value,
  CAST(SUM(row_count) AS BIGINT) AS row_count
FROM "measu'red coded" AS t
GROUP BY "key_0", "key_2"
UNION ALL
SELECT
  0 AS first_quasi,
  3 AS second_quasi,
  "key_0" AS first_value,
  "key_3" AS second_value,
  CAST(SUM(row_count) AS BIGINT) AS row_count
FROM "measu'red coded" AS t
GROUP BY "key_0", "key_3"
UNION ALL
SELECT
  1 AS first_quasi,
  2 AS second_quasi,
  "key_1" AS first_value,
  "key_2" AS second_value,
  CAST(SUM(row_count) AS BIGINT) AS row_count
FROM "measu'red coded" AS t
GROUP BY "key_1", "key_2"
UNION ALL
SELECT
  1 AS first_quasi,
  3 AS second_quasi,
  "key_1" AS first_value,
  "key_3" AS second_value,
  CAST(SUM(row_count) AS BIGINT) AS row_count
FROM "measu'red coded" AS t
GROUP BY "key_1", "key_3"
UNION ALL
SELECT
  2 AS first_quasi,
  3 AS second_quasi,
  "key_2" AS first_value,
  "key_3" AS second_value,
  CAST(SUM(row_count) AS BIGINT) AS row_count
FROM "measu'red coded" AS t
GROUP BY "key_2", "key_3"
