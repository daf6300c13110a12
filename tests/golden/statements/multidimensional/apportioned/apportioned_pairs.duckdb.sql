-- apportioned_pairs
CREATE TEMP TABLE "pa'irs" AS
SELECT
  0 AS first_quasi,
  0 AS second_quasi,
  "w"."place_0" AS first_place,
  0 AS second_place,
  CAST(SUM(w.row_count) AS BIGINT) AS row_count
FROM "ho'mes" AS w
GROUP BY "w"."place_0"
UNION ALL
SELECT
  2 AS first_quasi,
  2 AS second_quasi,
  "w"."place_2" AS first_place,
  0 AS second_place,
  CAST(SUM(w.row_count) AS BIGINT) AS row_count
FROM "ho'mes" AS w
GROUP BY "w"."place_2"
UNION ALL
SELECT
  0 AS first_quasi,
  2 AS second_quasi,
  "w"."place_0" AS first_place,
  "w"."place_2" AS second_place,
  CAST(SUM(w.row_count) AS BIGINT) AS row_count
FROM "ho'mes" AS w
GROUP BY "w"."place_0", "w"."place_2"
