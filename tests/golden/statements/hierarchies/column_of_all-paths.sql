-- duckdb, postgres
CREATE TEMP VIEW "one's paths" AS
SELECT
  "w"."value" AS "value",
  "w"."level_1" AS "level_1",
  "w"."leaves_1" AS "leaves_1"
FROM "all complete's" AS w
WHERE quasi = '0'

-- spark
CREATE TEMP VIEW `one's paths` AS
SELECT
  `w`.`value` AS `value`,
  `w`.`level_1` AS `level_1`,
  `w`.`leaves_1` AS `leaves_1`
FROM `all complete's` AS w
WHERE quasi = '0'
