-- duckdb, postgres
CREATE TEMP TABLE "codes zip; --" AS
SELECT
  value,
  CAST(0 + CAST("ordinal_0" AS BIGINT) * 4 + CAST("ordinal_1" AS BIGINT) * 8 AS BIGINT) AS "key_1",
  "leaves_1",
  "leaves_2"
FROM "map zip; --" AS m

-- spark
CREATE TEMP VIEW `codes zip; --` AS
SELECT
  value,
  CAST(0 + CAST(`ordinal_0` AS BIGINT) * 4 + CAST(`ordinal_1` AS BIGINT) * 8 AS BIGINT) AS `key_1`,
  `leaves_1`,
  `leaves_2`
FROM `map zip; --` AS m
