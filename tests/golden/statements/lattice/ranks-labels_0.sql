-- duckdb
CREATE TEMP TABLE "lab'els 0" AS
SELECT DISTINCT
  r.code
FROM "codes se""x" AS c
JOIN "released se""x" AS r ON "c"."value" IS NOT DISTINCT FROM "r"."value"

-- postgres
CREATE TEMP TABLE "lab'els 0" AS
SELECT DISTINCT
  r.code
FROM "codes se""x" AS c
JOIN "released se""x" AS r ON ARRAY["c"."value"] = ARRAY["r"."value"]

-- spark
CREATE TEMP VIEW `lab'els 0` AS
SELECT DISTINCT
  r.code
FROM `codes se"x` AS c
JOIN `released se"x` AS r ON `c`.`value` IS NOT DISTINCT FROM `r`.`value`
