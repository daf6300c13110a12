-- duckdb
CREATE TEMP TABLE "classes where NULL matches" AS
SELECT
  "q0"."code" AS "class_0",
  "q1"."code" AS "class_1",
  "q2"."code" AS "class_2",
  "q3"."code" AS "class_3",
  MAX(CASE WHEN "q0"."label" IS NULL THEN 1 ELSE 0 END) AS "null_0",
  MAX(CASE WHEN "q1"."label" IS NULL THEN 1 ELSE 0 END) AS "null_1",
  MAX(CASE WHEN "q2"."label" IS NULL THEN 1 ELSE 0 END) AS "null_2",
  MAX(CASE WHEN "q3"."label" IS NULL THEN 1 ELSE 0 END) AS "null_3",
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS s
JOIN "released se""x" AS "q0" ON "s"."se""x" IS NOT DISTINCT FROM "q0"."value"
JOIN "released zip; --" AS "q1" ON "s"."zip; --" IS NOT DISTINCT FROM "q1"."value"
JOIN "released age
of 👩" AS "q2" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q2"."value"
JOIN "released SELECT" AS "q3" ON "s"."SELECT" IS NOT DISTINCT FROM "q3"."value"
GROUP BY 1, 2, 3, 4

-- postgres
CREATE TEMP TABLE "classes where NULL matches" AS
SELECT
  "q0"."code" AS "class_0",
  "q1"."code" AS "class_1",
  "q2"."code" AS "class_2",
  "q3"."code" AS "class_3",
  MAX(CASE WHEN "q0"."label" IS NULL THEN 1 ELSE 0 END) AS "null_0",
  MAX(CASE WHEN "q1"."label" IS NULL THEN 1 ELSE 0 END) AS "null_1",
  MAX(CASE WHEN "q2"."label" IS NULL THEN 1 ELSE 0 END) AS "null_2",
  MAX(CASE WHEN "q3"."label" IS NULL THEN 1 ELSE 0 END) AS "null_3",
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS s
JOIN "released se""x" AS "q0" ON ARRAY["s"."se""x"] = ARRAY["q0"."value"]
JOIN "released zip; --" AS "q1" ON ARRAY["s"."zip; --"] = ARRAY["q1"."value"]
JOIN "released age
of 👩" AS "q2" ON ARRAY["s"."age
of 👩"] = ARRAY["q2"."value"]
JOIN "released SELECT" AS "q3" ON ARRAY["s"."SELECT"] = ARRAY["q3"."value"]
GROUP BY 1, 2, 3, 4

-- spark
CREATE TEMP VIEW `classes where NULL matches` AS
SELECT
  `q0`.`code` AS `class_0`,
  `q1`.`code` AS `class_1`,
  `q2`.`code` AS `class_2`,
  `q3`.`code` AS `class_3`,
  MAX(CASE WHEN `q0`.`label` IS NULL THEN 1 ELSE 0 END) AS `null_0`,
  MAX(CASE WHEN `q1`.`label` IS NULL THEN 1 ELSE 0 END) AS `null_1`,
  MAX(CASE WHEN `q2`.`label` IS NULL THEN 1 ELSE 0 END) AS `null_2`,
  MAX(CASE WHEN `q3`.`label` IS NULL THEN 1 ELSE 0 END) AS `null_3`,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x` AS s
JOIN `released se"x` AS `q0` ON `s`.`se"x` IS NOT DISTINCT FROM `q0`.`value`
JOIN `released zip; --` AS `q1` ON `s`.`zip; --` IS NOT DISTINCT FROM `q1`.`value`
JOIN `released age
of 👩` AS `q2` ON `s`.`age
of 👩` IS NOT DISTINCT FROM `q2`.`value`
JOIN `released SELECT` AS `q3` ON `s`.`SELECT` IS NOT DISTINCT FROM `q3`.`value`
GROUP BY 1, 2, 3, 4
