-- duckdb
SELECT
  0 AS number,
  COALESCE(SUM(alike), 0) AS row_count,
  COALESCE(SUM(CASE WHEN alike = 1 THEN 1 ELSE 0 END), 0) AS unique_rows
FROM (
  SELECT COUNT(*) AS alike
  FROM "the source; DROP TABLE x" AS s
  WHERE "s"."vis.it" IS NOT NULL
  AND HASH(encode(CAST("s"."vis.it" AS VARCHAR))) % 2 = 0
  GROUP BY "s"."vis.it"
) AS u
UNION ALL
SELECT
  1 AS number,
  COALESCE(SUM(alike), 0) AS row_count,
  COALESCE(SUM(CASE WHEN alike = 1 THEN 1 ELSE 0 END), 0) AS unique_rows
FROM (
  SELECT COUNT(*) AS alike
  FROM "the source; DROP TABLE x" AS s
  WHERE "s"."ward 🏥" IS NOT NULL
  AND HASH(encode(CAST("s"."ward 🏥" AS VARCHAR))) % 2 = 0
  GROUP BY "s"."ward 🏥"
) AS u
ORDER BY number

-- postgres
SELECT
  0 AS number,
  COALESCE(SUM(alike), 0) AS row_count,
  COALESCE(SUM(CASE WHEN alike = 1 THEN 1 ELSE 0 END), 0) AS unique_rows
FROM (
  SELECT COUNT(*) AS alike
  FROM "the source; DROP TABLE x" AS s
  WHERE "s"."vis.it" IS NOT NULL
  AND MOD(HASHTEXTEXTENDED(CONCAT_WS(',', CAST("s"."vis.it" AS TEXT)) COLLATE "C", 0), 2) = 0
  GROUP BY "s"."vis.it"
) AS u
UNION ALL
SELECT
  1 AS number,
  COALESCE(SUM(alike), 0) AS row_count,
  COALESCE(SUM(CASE WHEN alike = 1 THEN 1 ELSE 0 END), 0) AS unique_rows
FROM (
  SELECT COUNT(*) AS alike
  FROM "the source; DROP TABLE x" AS s
  WHERE "s"."ward 🏥" IS NOT NULL
  AND MOD(HASHTEXTEXTENDED(CONCAT_WS(',', CAST("s"."ward 🏥" AS TEXT)) COLLATE "C", 0), 2) = 0
  GROUP BY "s"."ward 🏥"
) AS u
ORDER BY number

-- spark
SELECT
  0 AS number,
  COALESCE(SUM(alike), 0) AS row_count,
  COALESCE(SUM(CASE WHEN alike = 1 THEN 1 ELSE 0 END), 0) AS unique_rows
FROM (
  SELECT COUNT(*) AS alike
  FROM `the source; DROP TABLE x` AS s
  WHERE `s`.`vis.it` IS NOT NULL
  AND PMOD(XXHASH64(CAST(CAST(`s`.`vis.it` AS STRING) AS BINARY)), 2) = 0
  GROUP BY `s`.`vis.it`
) AS u
UNION ALL
SELECT
  1 AS number,
  COALESCE(SUM(alike), 0) AS row_count,
  COALESCE(SUM(CASE WHEN alike = 1 THEN 1 ELSE 0 END), 0) AS unique_rows
FROM (
  SELECT COUNT(*) AS alike
  FROM `the source; DROP TABLE x` AS s
  WHERE `s`.`ward 🏥` IS NOT NULL
  AND PMOD(XXHASH64(CAST(CAST(`s`.`ward 🏥` AS STRING) AS BINARY)), 2) = 0
  GROUP BY `s`.`ward 🏥`
) AS u
ORDER BY number
