-- count_kinds
SELECT
  COUNT("s"."ward 🏥") AS "texts_1",
  COUNT(CASE WHEN regexp_full_match(CAST("s"."ward 🏥" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("s"."ward 🏥" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1 + CAST(FLOOR((TRY_CAST(CAST("s"."ward 🏥" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("s"."ward 🏥" AS VARCHAR) AS DECIMAL(30, 15)))) * 1) AS HUGEINT) END) AS "numbers_1",
  COUNT(CASE WHEN regexp_full_match(CAST("s"."ward 🏥" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("s"."ward 🏥" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("s"."ward 🏥" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END) AS "days_1",
  COUNT("s"."na'me") AS "texts_2",
  COUNT(CASE WHEN regexp_full_match(CAST("s"."na'me" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("s"."na'me" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1 + CAST(FLOOR((TRY_CAST(CAST("s"."na'me" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("s"."na'me" AS VARCHAR) AS DECIMAL(30, 15)))) * 1) AS HUGEINT) END) AS "numbers_2",
  COUNT(CASE WHEN regexp_full_match(CAST("s"."na'me" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("s"."na'me" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("s"."na'me" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END) AS "days_2"
FROM "the source; DROP TABLE x" AS s
