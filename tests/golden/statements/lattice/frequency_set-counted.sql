-- duckdb
CREATE TEMP TABLE "weighed set" AS
SELECT
0 AS "key_1",
0 AS "key_2",
  CAST(SUM("s"."row_count") AS BIGINT) AS row_count
FROM "frequency ""set"" 0" AS s
GROUP BY 1, 2
ORDER BY "key_1", "key_2"

-- postgres
CREATE TEMP TABLE "weighed set" AS
SELECT
  "key_1",
  "key_2",
  CAST(SUM(row_weight) AS BIGINT) AS row_count
FROM (
  SELECT
0 AS "key_1",
0 AS "key_2"
,
    "s"."row_count" AS row_weight
  FROM "frequency ""set"" 0" AS s
  ORDER BY "key_1", "key_2"
) AS t
GROUP BY 1, 2
ORDER BY "key_1", "key_2"

-- spark
CREATE TEMP VIEW `weighed set` AS
SELECT
0 AS `key_1`,
0 AS `key_2`,
  CAST(SUM(`s`.`row_count`) AS BIGINT) AS row_count
FROM `frequency "set" 0` AS s
GROUP BY 1, 2
