-- header_signs
SELECT
  COUNT("value_1") AS "present_1",
  COALESCE(SUM(CASE WHEN CASE WHEN regexp_full_match(CAST("v"."value_1" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("v"."value_1" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1 + CAST(FLOOR((TRY_CAST(CAST("v"."value_1" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("v"."value_1" AS VARCHAR) AS DECIMAL(30, 15)))) * 1) AS HUGEINT) END IS NOT NULL THEN 1 ELSE 0 END), 0) AS "numbers_1",
  COALESCE(SUM(CASE WHEN CASE WHEN regexp_full_match(CAST("v"."value_1" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("v"."value_1" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("v"."value_1" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END IS NOT NULL THEN 1 ELSE 0 END), 0) AS "days_1",
  COALESCE(SUM(CASE WHEN "value_1" = 'f''emale' THEN 1 ELSE 0 END), 0) AS "named_1"
FROM (
  SELECT
    CASE WHEN LOWER(TRIM("f"."se""x")) NOT IN ('n''a') THEN TRIM("f"."se""x") END AS "value_1"
  FROM (
    SELECT *
    FROM "the source; DROP TABLE x" AS s
    LIMIT 9
  ) AS f
) AS v
