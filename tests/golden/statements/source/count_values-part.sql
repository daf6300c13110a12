-- duckdb
SELECT
  COUNT(*) AS row_count,
  COUNT(DISTINCT CASE WHEN HASH(encode(CAST("s"."vis.it" AS VARCHAR))) % 2 = 0 THEN "s"."vis.it" END),
  COUNT(DISTINCT CASE WHEN HASH(encode(CAST("s"."ward 🏥" AS VARCHAR))) % 2 = 0 THEN "s"."ward 🏥" END)
FROM "the source; DROP TABLE x" AS s

-- postgres
SELECT
  COUNT(*) AS row_count,
  COUNT(DISTINCT CASE WHEN MOD(HASHTEXTEXTENDED(CONCAT_WS(',', CAST("s"."vis.it" AS TEXT)) COLLATE "C", 0), 2) = 0 THEN "s"."vis.it" END),
  COUNT(DISTINCT CASE WHEN MOD(HASHTEXTEXTENDED(CONCAT_WS(',', CAST("s"."ward 🏥" AS TEXT)) COLLATE "C", 0), 2) = 0 THEN "s"."ward 🏥" END)
FROM "the source; DROP TABLE x" AS s

-- spark
SELECT
  COUNT(*) AS row_count,
  COUNT(DISTINCT CASE WHEN PMOD(XXHASH64(CAST(CAST(`s`.`vis.it` AS STRING) AS BINARY)), 2) = 0 THEN `s`.`vis.it` END),
  COUNT(DISTINCT CASE WHEN PMOD(XXHASH64(CAST(CAST(`s`.`ward 🏥` AS STRING) AS BINARY)), 2) = 0 THEN `s`.`ward 🏥` END)
FROM `the source; DROP TABLE x` AS s
