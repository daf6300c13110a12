-- duckdb, postgres
CREATE TEMP TABLE "codes SELECT" AS
SELECT
  value,
  CAST(0 + CAST("ordinal_1" AS BIGINT) * 8 AS BIGINT) AS "key_2",
  "leaves_1",
  "leaves_2"
FROM "map SELECT" AS m

-- spark
CREATE TEMP VIEW `codes SELECT` AS
SELECT
  value,
  CAST(0 + CAST(`ordinal_1` AS BIGINT) * 8 AS BIGINT) AS `key_2`,
  `leaves_1`,
  `leaves_2`
FROM `map SELECT` AS m
