-- duckdb, postgres
CREATE TEMP TABLE "codes se""x" AS
SELECT
  value,
  CAST(0 + CAST("ordinal_0" AS BIGINT) * 1 AS BIGINT) AS "key_1",
  "leaves_1"
FROM "map se""x" AS m

-- spark
CREATE TEMP VIEW `codes se"x` AS
SELECT
  value,
  CAST(0 + CAST(`ordinal_0` AS BIGINT) * 1 AS BIGINT) AS `key_1`,
  `leaves_1`
FROM `map se"x` AS m
