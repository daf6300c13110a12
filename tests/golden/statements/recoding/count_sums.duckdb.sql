-- count_sums
SELECT
  COUNT("rest_1") AS "rows_1",
  COALESCE(SUM(CASE WHEN ABS("rest_1" + 1) < 0.000001 THEN 1 ELSE 0 END), 0) AS "less_1",
  COALESCE(SUM(CASE WHEN ABS("rest_1") < 0.000001 THEN 1 ELSE 0 END), 0) AS "same_1",
  COALESCE(SUM(CASE WHEN ABS("rest_1" - 1) < 0.000001 THEN 1 ELSE 0 END), 0) AS "more_1",
  COUNT("rest_2") AS "rows_2",
  COALESCE(SUM(CASE WHEN ABS("rest_2" + 1) < 0.000001 THEN 1 ELSE 0 END), 0) AS "less_2",
  COALESCE(SUM(CASE WHEN ABS("rest_2") < 0.000001 THEN 1 ELSE 0 END), 0) AS "same_2",
  COALESCE(SUM(CASE WHEN ABS("rest_2" - 1) < 0.000001 THEN 1 ELSE 0 END), 0) AS "more_2"
FROM (
  SELECT
    "number_0" - "number_1" + "number_2" AS "rest_1",
    "number_0" - "number_1" - "number_2" AS "rest_2"
  FROM (
    SELECT
CAST("s"."value_0" AS DOUBLE) AS "number_0",
CAST(DATE_DIFF('day', DATE '1970-01-01', "s"."value_1") AS DOUBLE) AS "number_1",
CAST("s"."value_2" AS DOUBLE) AS "number_2"
    FROM (
      SELECT
"t"."age
of 👩" AS "value_0",
CAST("t"."vis.it" AS DATE) AS "value_1",
CASE WHEN CASE WHEN regexp_full_match(CAST("t"."ward 🏥" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("t"."ward 🏥" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1 + CAST(FLOOR((TRY_CAST(CAST("t"."ward 🏥" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("t"."ward 🏥" AS VARCHAR) AS DECIMAL(30, 15)))) * 1) AS HUGEINT) END IS NOT NULL THEN "t"."ward 🏥" END AS "value_2"
      FROM "the source; DROP TABLE x" AS t
    ) AS s
  ) AS n
) AS r
