-- duckdb
CREATE TEMP TABLE "codes in order" AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY CASE WHEN "value" IS NULL THEN 0 ELSE 1 END, CASE decode(encode(CAST("value" AS VARCHAR))) WHEN 'it''s' THEN 0 WHEN 'ward \; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END, encode(CAST("value" AS VARCHAR))) AS INTEGER) AS code
FROM (SELECT DISTINCT "ward 🏥" AS value FROM "the source; DROP TABLE x") AS d

-- postgres
CREATE TEMP TABLE "codes in order" AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY CASE WHEN "value" IS NULL THEN 0 ELSE 1 END, CASE (CAST("value" AS TEXT) COLLATE "default") WHEN 'it''s' THEN 0 WHEN 'ward \; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END, (CAST("value" AS TEXT) COLLATE "C")) AS INTEGER) AS code
FROM (SELECT DISTINCT "ward 🏥" AS value FROM "the source; DROP TABLE x") AS d

-- spark
CREATE TEMP VIEW `codes in order` AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY CASE WHEN `value` IS NULL THEN 0 ELSE 1 END, CASE (CAST(`value` AS STRING) COLLATE UTF8_BINARY) WHEN 'it\'s' THEN 0 WHEN 'ward \\; DROP TABLE x' THEN 1 WHEN 'ünï' THEN 2 END, CAST(CAST(`value` AS STRING) AS BINARY)) AS INTEGER) AS code
FROM (SELECT DISTINCT `ward 🏥` AS value FROM `the source; DROP TABLE x`) AS d
