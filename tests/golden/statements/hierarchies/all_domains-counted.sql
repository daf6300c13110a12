-- duckdb
CREATE TEMP TABLE "weigh'ed" AS
SELECT
  CASE WHEN "set_0" = 0 THEN '0' END AS quasi,
  CASE WHEN "set_0" = 0 THEN CAST("value_0" AS VARCHAR) END AS entry,
  "value_0",
  row_count
FROM (
  SELECT
    "s"."row_count" AS "value_0",
    GROUPING("s"."row_count") AS "set_0",
    CAST(SUM("s"."row_count") AS BIGINT) AS row_count
  FROM "frequency ""set"" 0" AS s
  GROUP BY GROUPING SETS (("s"."row_count"))
) AS g

-- postgres
CREATE TEMP TABLE "weigh'ed" AS
SELECT
  CASE WHEN "set_0" = 0 THEN '0' END AS quasi,
  CASE WHEN "set_0" = 0 THEN CAST("value_0" AS TEXT) END AS entry,
  "value_0",
  row_count
FROM (
  SELECT
    "s"."row_count" AS "value_0",
    GROUPING("s"."row_count") AS "set_0",
    CAST(SUM("s"."row_count") AS BIGINT) AS row_count
  FROM "frequency ""set"" 0" AS s
  GROUP BY GROUPING SETS (("s"."row_count"))
) AS g

-- spark
CREATE TEMP VIEW `weigh'ed` AS
SELECT
  '0' AS quasi,
  CAST(`s`.`row_count` AS STRING) AS entry,
  `s`.`row_count` AS `value_0`,
  CAST(SUM(`s`.`row_count`) AS BIGINT) AS row_count
FROM `frequency "set" 0` AS s
GROUP BY `s`.`row_count`
