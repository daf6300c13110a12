-- duckdb
CREATE TEMP TABLE "ranks 2" AS
SELECT DISTINCT
  c."key_2" & CAST(6 AS BIGINT) AS "key_2",
  r.code
FROM "codes age
of 👩" AS c
JOIN "map by bytes 2" AS r ON "c"."value" IS NOT DISTINCT FROM "r"."value"

-- postgres
CREATE TEMP TABLE "ranks 2" AS
SELECT DISTINCT
  c."key_2" & CAST(6 AS BIGINT) AS "key_2",
  r.code
FROM "codes age
of 👩" AS c
JOIN "map by bytes 2" AS r ON ARRAY["c"."value"] = ARRAY["r"."value"]

-- spark
CREATE TEMP VIEW `ranks 2` AS
SELECT DISTINCT
  c.`key_2` & CAST(6 AS BIGINT) AS `key_2`,
  r.code
FROM `codes age
of 👩` AS c
JOIN `map by bytes 2` AS r ON `c`.`value` IS NOT DISTINCT FROM `r`.`value`
