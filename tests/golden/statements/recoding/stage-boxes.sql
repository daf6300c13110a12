-- duckdb
CREATE TEMP TABLE "staged in boxes" AS
SELECT
  CASE WHEN FALSE THEN "s"."s.s.n" END AS "s.s.n",
  "s"."dis'ease" AS "dis'ease",
  "s"."ward 🏥" AS "ward 🏥",
  "s"."vis.it" AS "vis.it",
  "m"."low_of_0" AS "age
of 👩_low",
  "m"."high_of_0" AS "age
of 👩_high",
  "m"."label_of_1" AS "se""x",
  "m"."label_of_2" AS "zip; --",
  "s"."who" AS "_kanon_entity"
FROM "the source; DROP TABLE x" AS s
JOIN "line; 0" AS "q0" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q0"."value"
JOIN "line; 2" AS "q1" ON "s"."se""x" IS NOT DISTINCT FROM "q1"."value"
JOIN "tr'ee" AS "q2" ON "s"."zip; --" IS NOT DISTINCT FROM "q2"."value"
JOIN "ho'mes" AS r
  ON r."place_0" = "q0"."place" AND r."place_1" = "q1"."place" AND r."place_2" = "q2"."place"
JOIN "box'es" AS m ON m.region = r.region
ORDER BY random()

-- postgres
CREATE TEMP TABLE "staged in boxes" AS
SELECT
  CASE WHEN FALSE THEN "s"."s.s.n" END AS "s.s.n",
  "s"."dis'ease" AS "dis'ease",
  "s"."ward 🏥" AS "ward 🏥",
  "s"."vis.it" AS "vis.it",
  "m"."low_of_0" AS "age
of 👩_low",
  "m"."high_of_0" AS "age
of 👩_high",
  "m"."label_of_1" AS "se""x",
  "m"."label_of_2" AS "zip; --",
  "s"."who" AS "_kanon_entity"
FROM "the source; DROP TABLE x" AS s
JOIN "line; 0" AS "q0" ON ARRAY["s"."age
of 👩"] = ARRAY["q0"."value"]
JOIN "line; 2" AS "q1" ON ARRAY["s"."se""x"] = ARRAY["q1"."value"]
JOIN "tr'ee" AS "q2" ON ARRAY["s"."zip; --"] = ARRAY["q2"."value"]
JOIN "ho'mes" AS r
  ON r."place_0" = "q0"."place" AND r."place_1" = "q1"."place" AND r."place_2" = "q2"."place"
JOIN "box'es" AS m ON m.region = r.region
ORDER BY CAST(random() * 9007199254740992 AS BIGINT)

-- spark
CREATE TEMP VIEW `staged in boxes` AS
SELECT
  CASE WHEN FALSE THEN `s`.`s.s.n` END AS `s.s.n`,
  `s`.`dis'ease` AS `dis'ease`,
  `s`.`ward 🏥` AS `ward 🏥`,
  `s`.`vis.it` AS `vis.it`,
  `m`.`low_of_0` AS `age
of 👩_low`,
  `m`.`high_of_0` AS `age
of 👩_high`,
  `m`.`label_of_1` AS `se"x`,
  `m`.`label_of_2` AS `zip; --`,
  `s`.`who` AS `_kanon_entity`
FROM `the source; DROP TABLE x` AS s
JOIN `line; 0` AS `q0` ON `s`.`age
of 👩` IS NOT DISTINCT FROM `q0`.`value`
JOIN `line; 2` AS `q1` ON `s`.`se"x` IS NOT DISTINCT FROM `q1`.`value`
JOIN `tr'ee` AS `q2` ON `s`.`zip; --` IS NOT DISTINCT FROM `q2`.`value`
JOIN `ho'mes` AS r
  ON r.`place_0` = `q0`.`place` AND r.`place_1` = `q1`.`place` AND r.`place_2` = `q2`.`place`
JOIN `box'es` AS m ON m.region = r.region
DISTRIBUTE BY XXHASH64(CAST(`s.s.n` AS STRING), CAST(`dis'ease` AS STRING), CAST(`ward 🏥` AS STRING), CAST(`vis.it` AS STRING), CAST(`age
of 👩_low` AS STRING), CAST(`age
of 👩_high` AS STRING), CAST(`se"x` AS STRING), CAST(`zip; --` AS STRING))
SORT BY XXHASH64(CAST(`s.s.n` AS STRING), CAST(`dis'ease` AS STRING), CAST(`ward 🏥` AS STRING), CAST(`vis.it` AS STRING), CAST(`age
of 👩_low` AS STRING), CAST(`age
of 👩_high` AS STRING), CAST(`se"x` AS STRING), CAST(`zip; --` AS STRING))
