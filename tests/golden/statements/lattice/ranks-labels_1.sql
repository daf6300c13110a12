-- duckdb
CREATE TEMP TABLE "lab'els 1" AS
SELECT DISTINCT
  c."key_1" & CAST(24 AS BIGINT) AS "key_1",
  r.code
FROM "codes zip; --" AS c
JOIN "released zip; --" AS r ON "c"."value" IS NOT DISTINCT FROM "r"."value"

-- postgres
CREATE TEMP TABLE "lab'els 1" AS
SELECT DISTINCT
  c."key_1" & CAST(24 AS BIGINT) AS "key_1",
  r.code
FROM "codes zip; --" AS c
JOIN "released zip; --" AS r ON ARRAY["c"."value"] = ARRAY["r"."value"]

-- spark
CREATE TEMP VIEW `lab'els 1` AS
SELECT DISTINCT
  c.`key_1` & CAST(24 AS BIGINT) AS `key_1`,
  r.code
FROM `codes zip; --` AS c
JOIN `released zip; --` AS r ON `c`.`value` IS NOT DISTINCT FROM `r`.`value`
