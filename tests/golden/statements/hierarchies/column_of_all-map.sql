-- duckdb, postgres
CREATE TEMP VIEW "one's map" AS
SELECT
  "w"."value_0" AS "value",
  "w"."row_count" AS "row_count",
  "w"."ordinal_0" AS "ordinal_0",
  "w"."level_1" AS "level_1",
  "w"."leaves_1" AS "leaves_1",
  "w"."ordinal_1" AS "ordinal_1"
FROM "all map's" AS w
WHERE quasi = '0'

-- spark
CREATE TEMP VIEW `one's map` AS
SELECT
  `w`.`value_0` AS `value`,
  `w`.`row_count` AS `row_count`,
  `w`.`ordinal_0` AS `ordinal_0`,
  `w`.`level_1` AS `level_1`,
  `w`.`leaves_1` AS `leaves_1`,
  `w`.`ordinal_1` AS `ordinal_1`
FROM `all map's` AS w
WHERE quasi = '0'
