-- pairs_of_codes
CREATE TEMP TABLE "measu'red coded values" AS
SELECT
  0 AS first_quasi,
  1 AS second_quasi,
  "c"."key_0" AS "first_value",
  "c"."key_1" AS "second_value",
  CAST(SUM(c.row_count) AS BIGINT) AS row_count
FROM "measu'red coded" AS c
GROUP BY 3, 4
UNION ALL
SELECT
  0 AS first_quasi,
  2 AS second_quasi,
  "c"."key_0" AS "first_value",
  "c"."key_2" AS "second_value",
  CAST(SUM(c.row_count) AS BIGINT) AS row_count
FROM "measu'red coded" AS c
GROUP BY 3, 4
UNION ALL
SELECT
  0 AS first_quasi,
  3 AS second_quasi,
  "c"."key_0" AS "first_value",
  "c"."key_3" AS "second_value",
  CAST(SUM(c.row_count) AS BIGINT) AS row_count
FROM "measu'red coded" AS c
GROUP BY 3, 4
UNION ALL
SELECT
  1 AS first_quasi,
  2 AS second_quasi,
  "c"."key_1" AS "first_value",
  "c"."key_2" AS "second_value",
  CAST(SUM(c.row_count) AS BIGINT) AS row_count
FROM "measu'red coded" AS c
GROUP BY 3, 4
UNION ALL
SELECT
  1 AS first_quasi,
  3 AS second_quasi,
  "c"."key_1" AS "first_value",
  "c"."key_3" AS "second_value",
  CAST(SUM(c.row_count) AS BIGINT) AS row_count
FROM "measu'red coded" AS c
GROUP BY 3, 4
UNION ALL
SELECT
  2 AS first_quasi,
  3 AS second_quasi,
  "c"."key_2" AS "first_value",
  "c"."key_3" AS "second_value",
  CAST(SUM(c.row_count) AS BIGINT) AS row_count
FROM "measu'red coded" AS c
GROUP BY 3, 4
