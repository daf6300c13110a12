-- duckdb
SELECT
  0 AS number,
  COUNT(*) AS row_count,
  COUNT("age
of 👩") AS present,
  COUNT(DISTINCT "age
of 👩") AS label_count,
  COUNT(TRY_CAST("age
of 👩" AS DOUBLE)) AS numbers,
  COUNT(TRY_CAST(CAST("age
of 👩" AS VARCHAR) AS DATE)) AS dates,
  COUNT(CASE WHEN regexp_full_match(CAST("age
of 👩" AS VARCHAR), '[0-9]+') THEN 1 END) AS digits,
  MIN(LENGTH(CAST("age
of 👩" AS VARCHAR))) AS shortest,
  MAX(LENGTH(CAST("age
of 👩" AS VARCHAR))) AS longest,
  MAX(TRY_CAST("age
of 👩" AS DOUBLE)) - MIN(TRY_CAST("age
of 👩" AS DOUBLE)) AS reach
FROM "the source; DROP TABLE x" AS s
UNION ALL
SELECT
  1 AS number,
  COUNT(*) AS row_count,
  COUNT("ward 🏥") AS present,
  COUNT(DISTINCT "ward 🏥") AS label_count,
  COUNT(TRY_CAST("ward 🏥" AS DOUBLE)) AS numbers,
  COUNT(TRY_CAST(CAST("ward 🏥" AS VARCHAR) AS DATE)) AS dates,
  COUNT(CASE WHEN regexp_full_match(CAST("ward 🏥" AS VARCHAR), '[0-9]+') THEN 1 END) AS digits,
  MIN(LENGTH(CAST("ward 🏥" AS VARCHAR))) AS shortest,
  MAX(LENGTH(CAST("ward 🏥" AS VARCHAR))) AS longest,
  MAX(TRY_CAST("ward 🏥" AS DOUBLE)) - MIN(TRY_CAST("ward 🏥" AS DOUBLE)) AS reach
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
