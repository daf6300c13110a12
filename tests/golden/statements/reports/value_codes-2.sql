-- duckdb
CREATE TEMP TABLE "measu'red codes age
of 👩" AS
SELECT
  value,
  COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS own,
  ROW_NUMBER() OVER (ORDER BY encode(CAST("d"."value" AS VARCHAR))) AS code
FROM "domain age
of 👩" AS d
WHERE row_count > 0

-- postgres
CREATE TEMP TABLE "measu'red codes age
of 👩" AS
SELECT
  value,
  COALESCE('v' || (CAST("d"."value" AS TEXT) COLLATE "default"), '') AS own,
  ROW_NUMBER() OVER (ORDER BY (CAST("d"."value" AS TEXT) COLLATE "C")) AS code
FROM "domain age
of 👩" AS d
WHERE row_count > 0

-- spark
CREATE TEMP VIEW `measu'red codes age
of 👩` AS
SELECT
  value,
  COALESCE('v' || (CAST(`d`.`value` AS STRING) COLLATE UTF8_BINARY), '') AS own,
  ROW_NUMBER() OVER (ORDER BY CAST(CAST(`d`.`value` AS STRING) AS BINARY)) AS code
FROM `domain age
of 👩` AS d
WHERE row_count > 0
