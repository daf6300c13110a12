-- follow_by_order
SELECT
  COALESCE(SUM(CASE WHEN "low_1" < "high_before_1" THEN 1 ELSE 0 END), 0) AS "falls_1",
  COALESCE(SUM(CASE WHEN "high_1" > "low_before_1" THEN 1 ELSE 0 END), 0) AS "rises_1",
  COALESCE(SUM(CASE WHEN "low_2" < "high_before_2" THEN 1 ELSE 0 END), 0) AS "falls_2",
  COALESCE(SUM(CASE WHEN "high_2" > "low_before_2" THEN 1 ELSE 0 END), 0) AS "rises_2",
  COALESCE(SUM(CASE WHEN "low_3" < "high_before_3" THEN 1 ELSE 0 END), 0) AS "falls_3",
  COALESCE(SUM(CASE WHEN "high_3" > "low_before_3" THEN 1 ELSE 0 END), 0) AS "rises_3"
FROM (
  SELECT
    "low_1",
    "high_1",
    LAG("low_1") OVER (ORDER BY value_0) AS "low_before_1",
    LAG("high_1") OVER (ORDER BY value_0) AS "high_before_1",
    "low_2",
    "high_2",
    LAG("low_2") OVER (ORDER BY value_0) AS "low_before_2",
    LAG("high_2") OVER (ORDER BY value_0) AS "high_before_2",
    "low_3",
    "high_3",
    LAG("low_3") OVER (ORDER BY value_0) AS "low_before_3",
    LAG("high_3") OVER (ORDER BY value_0) AS "high_before_3"
  FROM (
    SELECT
      value_0,
      MIN("value_1") AS "low_1",
      MAX("value_1") AS "high_1",
      MIN("value_2") AS "low_2",
      MAX("value_2") AS "high_2",
      MIN("value_3") AS "low_3",
      MAX("value_3") AS "high_3"
    FROM (
      SELECT
CAST("s"."age
of 👩" AS DOUBLE) AS "value_0",
CASE WHEN CASE WHEN regexp_full_match(CAST("s"."ward 🏥" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("s"."ward 🏥" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1 + CAST(FLOOR((TRY_CAST(CAST("s"."ward 🏥" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("s"."ward 🏥" AS VARCHAR) AS DECIMAL(30, 15)))) * 1) AS HUGEINT) END IS NOT NULL THEN CAST(CAST("s"."ward 🏥" AS VARCHAR) AS DOUBLE) END AS "value_1",
CASE WHEN regexp_full_match(CAST("s"."vis.it" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("s"."vis.it" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("s"."vis.it" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END AS "value_2",
CAST("s"."vis.it" AS DATE) AS "value_3"
      FROM "the source; DROP TABLE x" AS s
    ) AS m
    WHERE value_0 IS NOT NULL
    GROUP BY value_0
  ) AS v
) AS n
