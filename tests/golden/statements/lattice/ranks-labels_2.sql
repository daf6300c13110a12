-- duckdb
CREATE TEMP TABLE "lab'els 2" AS
SELECT DISTINCT
  c."key_2" & CAST(6 AS BIGINT) AS "key_2",
  r.code
FROM "codes age
of 👩" AS c
JOIN "released age
of 👩" AS r ON "c"."value" IS NOT DISTINCT FROM "r"."value"

-- postgres
CREATE TEMP TABLE "lab'els 2" AS
SELECT DISTINCT
  c."key_2" & CAST(6 AS BIGINT) AS "key_2",
  r.code
FROM "codes age
of 👩" AS c
JOIN "released age
of 👩" AS r ON ARRAY["c"."value"] = ARRAY["r"."value"]

-- spark
CREATE TEMP VIEW `lab'els 2` AS
SELECT DISTINCT
  c.`key_2` & CAST(6 AS BIGINT) AS `key_2`,
  r.code
FROM `codes age
of 👩` AS c
JOIN `released age
of 👩` AS r ON `c`.`value` IS NOT DISTINCT FROM `r`.`value`
