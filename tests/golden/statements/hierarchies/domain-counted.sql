-- duckdb, postgres
CREATE TEMP TABLE "coun'ted before" AS
SELECT
  "row_count" AS value,
  CAST(SUM("row_count") AS BIGINT) AS row_count
FROM "frequency ""set"" 0"
GROUP BY "row_count"

-- spark
CREATE TEMP VIEW `coun'ted before` AS
SELECT
  `row_count` AS value,
  CAST(SUM(`row_count`) AS BIGINT) AS row_count
FROM `frequency "set" 0`
GROUP BY `row_count`
