-- source_pairs
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
  FROM (
    SELECT
      "x0"."bin" AS "value_0",
      "x1"."bin" AS "value_1",
      "x2"."bin" AS "value_2",
      "x3"."bin" AS "value_3",
"t"."row_count" AS row_count
    FROM "measu'red classes" AS t
    JOIN (
      SELECT DISTINCT
        "b"."own" AS known,
        b.bin
      FROM "measu'red bins se""x" AS b
    ) AS "x0" ON "t"."key_0" IS NOT DISTINCT FROM "x0"."known"
    JOIN (
      SELECT DISTINCT
        "b"."own" AS known,
        b.bin
      FROM "measu'red bins zip; --" AS b
    ) AS "x1" ON "t"."key_1" IS NOT DISTINCT FROM "x1"."known"
    JOIN (
      SELECT DISTINCT
        "b"."own" AS known,
        b.bin
      FROM "measu'red bins age
of 👩" AS b
    ) AS "x2" ON "t"."key_2" IS NOT DISTINCT FROM "x2"."known"
    JOIN (
      SELECT DISTINCT
        "b"."own" AS known,
        b.bin
      FROM "measu'red bins SELECT" AS b
    ) AS "x3" ON "t"."key_3" IS NOT DISTINCT FROM "x3"."known"
  ) AS c
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
