-- duckdb
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

-- postgres
SELECT
  COUNT("value_1") AS "present_1",
  COALESCE(SUM(CASE WHEN CASE WHEN CASE WHEN CAST("v"."value_1" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("v"."value_1" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("v"."value_1" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1) END IS NOT NULL THEN 1 ELSE 0 END), 0) AS "numbers_1",
  COALESCE(SUM(CASE WHEN CASE WHEN CAST("v"."value_1" AS TEXT) ~ '^([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)$' THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value_1" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER) > 0 AND CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value_1" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER) BETWEEN 1 AND 12 THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value_1" AS TEXT), ' ', 1), 'T', 1), '-', 3) AS INTEGER) BETWEEN 1 AND EXTRACT(DAY FROM MAKE_DATE(CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value_1" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER), CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value_1" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER), 1) + INTERVAL '1 month - 1 day') THEN CAST(SPLIT_PART(SPLIT_PART(CAST("v"."value_1" AS TEXT), ' ', 1), 'T', 1) || CASE WHEN CAST("v"."value_1" AS TEXT) LIKE '%BC%' THEN ' BC' ELSE '' END AS DATE) END END END IS NOT NULL THEN 1 ELSE 0 END), 0) AS "days_1",
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

-- spark
SELECT
  COUNT(`value_1`) AS `present_1`,
  COALESCE(SUM(CASE WHEN CASE WHEN REGEXP_EXTRACT(CAST(`v`.`value_1` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`v`.`value_1` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`v`.`value_1` AS STRING) AS DECIMAL(30, 15)) * 1) AS DECIMAL(38, 0)) END IS NOT NULL THEN 1 ELSE 0 END), 0) AS `numbers_1`,
  COALESCE(SUM(CASE WHEN CASE WHEN REGEXP_EXTRACT(CAST(`v`.`value_1` AS STRING), '([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)', 1) = CAST(`v`.`value_1` AS STRING) THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST(`v`.`value_1` AS STRING), ' ', 1), 'T', 1) || CASE WHEN CAST(`v`.`value_1` AS STRING) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END IS NOT NULL THEN 1 ELSE 0 END), 0) AS `days_1`,
  COALESCE(SUM(CASE WHEN `value_1` = 'f\'emale' THEN 1 ELSE 0 END), 0) AS `named_1`
FROM (
  SELECT
    CASE WHEN LOWER(TRIM(`f`.`se"x`)) NOT IN ('n\'a') THEN TRIM(`f`.`se"x`) END AS `value_1`
  FROM (
    SELECT *
    FROM `the source; DROP TABLE x` AS s
    LIMIT 9
  ) AS f
) AS v
