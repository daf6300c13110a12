-- duckdb, postgres
CREATE TEMP TABLE "classes at" AS
SELECT
  "key_1" & CAST(24 AS BIGINT) AS "key_1",
  "key_2" & CAST(6 AS BIGINT) AS "key_2",
  "sensitive_1",
  "sensitive_2",
  entity,
  CAST(SUM("row_count") AS BIGINT) AS row_count
FROM "frequency ""set"" 2" AS f
GROUP BY 1, 2, 3, 4, 5
ORDER BY "key_1", "key_2"

-- spark
CREATE TEMP VIEW `classes at` AS
SELECT
  `key_1` & CAST(24 AS BIGINT) AS `key_1`,
  `key_2` & CAST(6 AS BIGINT) AS `key_2`,
  `sensitive_1`,
  `sensitive_2`,
  entity,
  CAST(SUM(`row_count`) AS BIGINT) AS row_count
FROM `frequency "set" 2` AS f
GROUP BY 1, 2, 3, 4, 5
ORDER BY `key_1`, `key_2`
