-- duckdb
SELECT
  0 AS number,
  COUNT(*) AS row_count,
  COUNT("age
of 👩") AS present,
  COUNT(DISTINCT CAST("age
of 👩" AS VARCHAR)) AS label_count,
  COUNT(CASE WHEN regexp_full_match(CAST("age
of 👩" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("age
of 👩" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000 + CAST(FLOOR((TRY_CAST(CAST("age
of 👩" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("age
of 👩" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000) AS HUGEINT) END) AS numbers,
  COUNT(CASE WHEN regexp_full_match(CAST("age
of 👩" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("age
of 👩" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("age
of 👩" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END) AS dates,
  COUNT(CASE WHEN LENGTH(CAST("age
of 👩" AS VARCHAR)) > 0 AND TRANSLATE(CAST("age
of 👩" AS VARCHAR), '0123456789', '') = '' THEN 1 END) AS digits,
  MIN(LENGTH(CAST("age
of 👩" AS VARCHAR))) AS shortest,
  MAX(LENGTH(CAST("age
of 👩" AS VARCHAR))) AS longest,
  MAX(CASE WHEN regexp_full_match(CAST("age
of 👩" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("age
of 👩" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000 + CAST(FLOOR((TRY_CAST(CAST("age
of 👩" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("age
of 👩" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000) AS HUGEINT) END) - MIN(CASE WHEN regexp_full_match(CAST("age
of 👩" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("age
of 👩" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000 + CAST(FLOOR((TRY_CAST(CAST("age
of 👩" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("age
of 👩" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000) AS HUGEINT) END) AS reach
FROM "the source; DROP TABLE x" AS s
UNION ALL
SELECT
  1 AS number,
  COUNT(*) AS row_count,
  COUNT("ward 🏥") AS present,
  COUNT(DISTINCT CAST("ward 🏥" AS VARCHAR)) AS label_count,
  COUNT(CASE WHEN regexp_full_match(CAST("ward 🏥" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("ward 🏥" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000 + CAST(FLOOR((TRY_CAST(CAST("ward 🏥" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("ward 🏥" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000) AS HUGEINT) END) AS numbers,
  COUNT(CASE WHEN regexp_full_match(CAST("ward 🏥" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("ward 🏥" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("ward 🏥" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END) AS dates,
  COUNT(CASE WHEN LENGTH(CAST("ward 🏥" AS VARCHAR)) > 0 AND TRANSLATE(CAST("ward 🏥" AS VARCHAR), '0123456789', '') = '' THEN 1 END) AS digits,
  MIN(LENGTH(CAST("ward 🏥" AS VARCHAR))) AS shortest,
  MAX(LENGTH(CAST("ward 🏥" AS VARCHAR))) AS longest,
  MAX(CASE WHEN regexp_full_match(CAST("ward 🏥" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("ward 🏥" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000 + CAST(FLOOR((TRY_CAST(CAST("ward 🏥" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("ward 🏥" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000) AS HUGEINT) END) - MIN(CASE WHEN regexp_full_match(CAST("ward 🏥" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("ward 🏥" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000 + CAST(FLOOR((TRY_CAST(CAST("ward 🏥" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("ward 🏥" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000) AS HUGEINT) END) AS reach
FROM "the source; DROP TABLE x" AS s
UNION ALL
SELECT
  2 AS number,
  COUNT(*) AS row_count,
  COUNT("na'me") AS present,
  0 AS label_count,
  0 AS numbers,
  0 AS dates,
  0 AS digits,
  0 AS shortest,
  0 AS longest,
  0 AS reach
FROM "the source; DROP TABLE x" AS s
ORDER BY number

-- postgres
SELECT
  0 AS number,
  COUNT(*) AS row_count,
  COUNT("age
of 👩") AS present,
  COUNT(DISTINCT CAST("age
of 👩" AS TEXT)) AS label_count,
  COUNT(CASE WHEN CASE WHEN CAST("age
of 👩" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("age
of 👩" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("age
of 👩" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000) END) AS numbers,
  COUNT(CASE WHEN CAST("age
of 👩" AS TEXT) ~ '^([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)$' THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("age
of 👩" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER) > 0 AND CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("age
of 👩" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER) BETWEEN 1 AND 12 THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("age
of 👩" AS TEXT), ' ', 1), 'T', 1), '-', 3) AS INTEGER) BETWEEN 1 AND EXTRACT(DAY FROM MAKE_DATE(CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("age
of 👩" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER), CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("age
of 👩" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER), 1) + INTERVAL '1 month - 1 day') THEN CAST(SPLIT_PART(SPLIT_PART(CAST("age
of 👩" AS TEXT), ' ', 1), 'T', 1) || CASE WHEN CAST("age
of 👩" AS TEXT) LIKE '%BC%' THEN ' BC' ELSE '' END AS DATE) END END END) AS dates,
  COUNT(CASE WHEN LENGTH(CAST("age
of 👩" AS TEXT)) > 0 AND TRANSLATE(CAST("age
of 👩" AS TEXT), '0123456789', '') = '' THEN 1 END) AS digits,
  MIN(LENGTH(CAST("age
of 👩" AS TEXT))) AS shortest,
  MAX(LENGTH(CAST("age
of 👩" AS TEXT))) AS longest,
  MAX(CASE WHEN CASE WHEN CAST("age
of 👩" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("age
of 👩" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("age
of 👩" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000) END) - MIN(CASE WHEN CASE WHEN CAST("age
of 👩" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("age
of 👩" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("age
of 👩" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000) END) AS reach
FROM "the source; DROP TABLE x" AS s
UNION ALL
SELECT
  1 AS number,
  COUNT(*) AS row_count,
  COUNT("ward 🏥") AS present,
  COUNT(DISTINCT CAST("ward 🏥" AS TEXT)) AS label_count,
  COUNT(CASE WHEN CASE WHEN CAST("ward 🏥" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("ward 🏥" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("ward 🏥" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000) END) AS numbers,
  COUNT(CASE WHEN CAST("ward 🏥" AS TEXT) ~ '^([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)$' THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("ward 🏥" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER) > 0 AND CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("ward 🏥" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER) BETWEEN 1 AND 12 THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("ward 🏥" AS TEXT), ' ', 1), 'T', 1), '-', 3) AS INTEGER) BETWEEN 1 AND EXTRACT(DAY FROM MAKE_DATE(CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("ward 🏥" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER), CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("ward 🏥" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER), 1) + INTERVAL '1 month - 1 day') THEN CAST(SPLIT_PART(SPLIT_PART(CAST("ward 🏥" AS TEXT), ' ', 1), 'T', 1) || CASE WHEN CAST("ward 🏥" AS TEXT) LIKE '%BC%' THEN ' BC' ELSE '' END AS DATE) END END END) AS dates,
  COUNT(CASE WHEN LENGTH(CAST("ward 🏥" AS TEXT)) > 0 AND TRANSLATE(CAST("ward 🏥" AS TEXT), '0123456789', '') = '' THEN 1 END) AS digits,
  MIN(LENGTH(CAST("ward 🏥" AS TEXT))) AS shortest,
  MAX(LENGTH(CAST("ward 🏥" AS TEXT))) AS longest,
  MAX(CASE WHEN CASE WHEN CAST("ward 🏥" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("ward 🏥" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("ward 🏥" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000) END) - MIN(CASE WHEN CASE WHEN CAST("ward 🏥" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("ward 🏥" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("ward 🏥" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000) END) AS reach
FROM "the source; DROP TABLE x" AS s
UNION ALL
SELECT
  2 AS number,
  COUNT(*) AS row_count,
  COUNT("na'me") AS present,
  0 AS label_count,
  0 AS numbers,
  0 AS dates,
  0 AS digits,
  0 AS shortest,
  0 AS longest,
  0 AS reach
FROM "the source; DROP TABLE x" AS s
ORDER BY number

-- spark
SELECT
  0 AS number,
  COUNT(*) AS row_count,
  COUNT(`age
of 👩`) AS present,
  COUNT(DISTINCT CAST(`age
of 👩` AS STRING)) AS label_count,
  COUNT(CASE WHEN REGEXP_EXTRACT(CAST(`age
of 👩` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`age
of 👩` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`age
of 👩` AS STRING) AS DECIMAL(30, 15)) * 1000) AS DECIMAL(38, 0)) END) AS numbers,
  COUNT(CASE WHEN REGEXP_EXTRACT(CAST(`age
of 👩` AS STRING), '([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)', 1) = CAST(`age
of 👩` AS STRING) THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST(`age
of 👩` AS STRING), ' ', 1), 'T', 1) || CASE WHEN CAST(`age
of 👩` AS STRING) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END) AS dates,
  COUNT(CASE WHEN LENGTH(CAST(`age
of 👩` AS STRING)) > 0 AND TRANSLATE(CAST(`age
of 👩` AS STRING), '0123456789', '') = '' THEN 1 END) AS digits,
  MIN(LENGTH(CAST(`age
of 👩` AS STRING))) AS shortest,
  MAX(LENGTH(CAST(`age
of 👩` AS STRING))) AS longest,
  MAX(CASE WHEN REGEXP_EXTRACT(CAST(`age
of 👩` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`age
of 👩` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`age
of 👩` AS STRING) AS DECIMAL(30, 15)) * 1000) AS DECIMAL(38, 0)) END) - MIN(CASE WHEN REGEXP_EXTRACT(CAST(`age
of 👩` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`age
of 👩` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`age
of 👩` AS STRING) AS DECIMAL(30, 15)) * 1000) AS DECIMAL(38, 0)) END) AS reach
FROM `the source; DROP TABLE x` AS s
UNION ALL
SELECT
  1 AS number,
  COUNT(*) AS row_count,
  COUNT(`ward 🏥`) AS present,
  COUNT(DISTINCT CAST(`ward 🏥` AS STRING)) AS label_count,
  COUNT(CASE WHEN REGEXP_EXTRACT(CAST(`ward 🏥` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`ward 🏥` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`ward 🏥` AS STRING) AS DECIMAL(30, 15)) * 1000) AS DECIMAL(38, 0)) END) AS numbers,
  COUNT(CASE WHEN REGEXP_EXTRACT(CAST(`ward 🏥` AS STRING), '([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)', 1) = CAST(`ward 🏥` AS STRING) THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST(`ward 🏥` AS STRING), ' ', 1), 'T', 1) || CASE WHEN CAST(`ward 🏥` AS STRING) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END) AS dates,
  COUNT(CASE WHEN LENGTH(CAST(`ward 🏥` AS STRING)) > 0 AND TRANSLATE(CAST(`ward 🏥` AS STRING), '0123456789', '') = '' THEN 1 END) AS digits,
  MIN(LENGTH(CAST(`ward 🏥` AS STRING))) AS shortest,
  MAX(LENGTH(CAST(`ward 🏥` AS STRING))) AS longest,
  MAX(CASE WHEN REGEXP_EXTRACT(CAST(`ward 🏥` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`ward 🏥` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`ward 🏥` AS STRING) AS DECIMAL(30, 15)) * 1000) AS DECIMAL(38, 0)) END) - MIN(CASE WHEN REGEXP_EXTRACT(CAST(`ward 🏥` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`ward 🏥` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`ward 🏥` AS STRING) AS DECIMAL(30, 15)) * 1000) AS DECIMAL(38, 0)) END) AS reach
FROM `the source; DROP TABLE x` AS s
UNION ALL
SELECT
  2 AS number,
  COUNT(*) AS row_count,
  COUNT(`na'me`) AS present,
  0 AS label_count,
  0 AS numbers,
  0 AS dates,
  0 AS digits,
  0 AS shortest,
  0 AS longest,
  0 AS reach
FROM `the source; DROP TABLE x` AS s
ORDER BY number
