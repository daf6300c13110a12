-- duckdb
CREATE TEMP TABLE "lab'els 3" AS
SELECT DISTINCT
  r.code
FROM "codes SELECT" AS c
JOIN "released SELECT" AS r ON "c"."value" IS NOT DISTINCT FROM "r"."value"

-- postgres
CREATE TEMP TABLE "lab'els 3" AS
SELECT DISTINCT
  r.code
FROM "codes SELECT" AS c
JOIN "released SELECT" AS r ON ARRAY["c"."value"] = ARRAY["r"."value"]

-- spark
CREATE TEMP VIEW `lab'els 3` AS
SELECT DISTINCT
  r.code
FROM `codes SELECT` AS c
JOIN `released SELECT` AS r ON `c`.`value` IS NOT DISTINCT FROM `r`.`value`
