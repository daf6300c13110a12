-- duckdb, postgres
CREATE TEMP TABLE "codes age
of 👩" AS
SELECT
  value,
  CAST(0 + CAST("ordinal_0" AS BIGINT) * 32 AS BIGINT) AS "key_1",
  CAST(0 + CAST("ordinal_1" AS BIGINT) * 1 + CAST("ordinal_2" AS BIGINT) * 2 AS BIGINT) AS "key_2",
  "leaves_1",
  "leaves_2",
  "leaves_3"
FROM "map age
of 👩" AS m

-- spark
CREATE TEMP VIEW `codes age
of 👩` AS
SELECT
  value,
  CAST(0 + CAST(`ordinal_0` AS BIGINT) * 32 AS BIGINT) AS `key_1`,
  CAST(0 + CAST(`ordinal_1` AS BIGINT) * 1 + CAST(`ordinal_2` AS BIGINT) * 2 AS BIGINT) AS `key_2`,
  `leaves_1`,
  `leaves_2`,
  `leaves_3`
FROM `map age
of 👩` AS m
