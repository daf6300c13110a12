-- duckdb
CREATE TEMP TABLE "staged with blanks" AS
SELECT
  CASE
    WHEN "s"."na'me" IS NOT NULL THEN sha256(getvariable('kanon_outer_7191c3cf') || unhex(sha256(getvariable('kanon_inner_7191c3cf') || encode(CAST("s"."na'me" AS VARCHAR)))))
  END AS "na'me",
  CASE WHEN FALSE THEN "s"."s.s.n" END AS "s.s.n",
  "q0"."label" AS "se""x",
  CASE "m"."level_1"
    WHEN 2 THEN "q1"."label_2"
    ELSE "q1"."label_1"
  END AS "zip; --",
  CASE "m"."level_2"
    WHEN 3 THEN NULL
    ELSE "q2"."low_2"
  END AS "age
of 👩_low",
  CASE "m"."level_2"
    WHEN 3 THEN NULL
    ELSE "q2"."high_2"
  END AS "age
of 👩_high",
  "q3"."label" AS "SELECT",
  "s"."dis'ease" AS "dis'ease",
  "s"."ward 🏥" AS "ward 🏥",
  "s"."vis.it" AS "vis.it",
  "s"."who" AS "_kanon_entity"
FROM "the source; DROP TABLE x" AS s
JOIN "blanked se""x" AS "q0" ON "s"."se""x" IS NOT DISTINCT FROM "q0"."value"
JOIN "blanked zip; --" AS "q1" ON "s"."zip; --" IS NOT DISTINCT FROM "q1"."value"
JOIN "blanked age
of 👩" AS "q2" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q2"."value"
JOIN "blanked SELECT" AS "q3" ON "s"."SELECT" IS NOT DISTINCT FROM "q3"."value"
LEFT JOIN "bla'nked" AS m
  ON m."class_0" = "q0"."code" AND m."class_1" = "q1"."code_1" AND m."class_2" = "q2"."code_2" AND m."class_3" = "q3"."code"
WHERE NOT EXISTS (
  SELECT 1
  FROM "left out at last" AS f
  WHERE f."class_0" = "q0"."code" AND f."class_1" = "q1"."code_1" AND f."class_2" = "q2"."code_2" AND f."class_3" = "q3"."code"
)
ORDER BY random()

-- postgres
CREATE TEMP TABLE "staged with blanks" AS
SELECT
  CASE
    WHEN "s"."na'me" IS NOT NULL THEN ENCODE(SHA256(DECODE(CURRENT_SETTING('kanon.' || 'kanon_outer_7191c3cf'), 'hex') || SHA256(DECODE(CURRENT_SETTING('kanon.' || 'kanon_inner_7191c3cf'), 'hex') || CONVERT_TO(CAST("s"."na'me" AS TEXT), 'UTF8'))), 'hex')
  END AS "na'me",
  CASE WHEN FALSE THEN "s"."s.s.n" END AS "s.s.n",
  "q0"."label" AS "se""x",
  CASE "m"."level_1"
    WHEN 2 THEN "q1"."label_2"
    ELSE "q1"."label_1"
  END AS "zip; --",
  CASE "m"."level_2"
    WHEN 3 THEN NULL
    ELSE "q2"."low_2"
  END AS "age
of 👩_low",
  CASE "m"."level_2"
    WHEN 3 THEN NULL
    ELSE "q2"."high_2"
  END AS "age
of 👩_high",
  "q3"."label" AS "SELECT",
  "s"."dis'ease" AS "dis'ease",
  "s"."ward 🏥" AS "ward 🏥",
  "s"."vis.it" AS "vis.it",
  "s"."who" AS "_kanon_entity"
FROM "the source; DROP TABLE x" AS s
JOIN "blanked se""x" AS "q0" ON ARRAY["s"."se""x"] = ARRAY["q0"."value"]
JOIN "blanked zip; --" AS "q1" ON ARRAY["s"."zip; --"] = ARRAY["q1"."value"]
JOIN "blanked age
of 👩" AS "q2" ON ARRAY["s"."age
of 👩"] = ARRAY["q2"."value"]
JOIN "blanked SELECT" AS "q3" ON ARRAY["s"."SELECT"] = ARRAY["q3"."value"]
LEFT JOIN "bla'nked" AS m
  ON m."class_0" = "q0"."code" AND m."class_1" = "q1"."code_1" AND m."class_2" = "q2"."code_2" AND m."class_3" = "q3"."code"
WHERE NOT EXISTS (
  SELECT 1
  FROM "left out at last" AS f
  WHERE f."class_0" = "q0"."code" AND f."class_1" = "q1"."code_1" AND f."class_2" = "q2"."code_2" AND f."class_3" = "q3"."code"
)
ORDER BY CAST(random() * 9007199254740992 AS BIGINT)

-- spark
CREATE TEMP VIEW `staged with blanks` AS
SELECT
  CASE
    WHEN `s`.`na'me` IS NOT NULL THEN SHA2(CONCAT((SELECT pad FROM `kanon_outer_7191c3cf` AS k), UNHEX(SHA2(CONCAT((SELECT pad FROM `kanon_inner_7191c3cf` AS k), ENCODE(CAST(`s`.`na'me` AS STRING), 'UTF-8')), 256))), 256)
  END AS `na'me`,
  CASE WHEN FALSE THEN `s`.`s.s.n` END AS `s.s.n`,
  `q0`.`label` AS `se"x`,
  CASE `m`.`level_1`
    WHEN 2 THEN `q1`.`label_2`
    ELSE `q1`.`label_1`
  END AS `zip; --`,
  CASE `m`.`level_2`
    WHEN 3 THEN NULL
    ELSE `q2`.`low_2`
  END AS `age
of 👩_low`,
  CASE `m`.`level_2`
    WHEN 3 THEN NULL
    ELSE `q2`.`high_2`
  END AS `age
of 👩_high`,
  `q3`.`label` AS `SELECT`,
  `s`.`dis'ease` AS `dis'ease`,
  `s`.`ward 🏥` AS `ward 🏥`,
  `s`.`vis.it` AS `vis.it`,
  `s`.`who` AS `_kanon_entity`
FROM `the source; DROP TABLE x` AS s
JOIN `blanked se"x` AS `q0` ON `s`.`se"x` IS NOT DISTINCT FROM `q0`.`value`
JOIN `blanked zip; --` AS `q1` ON `s`.`zip; --` IS NOT DISTINCT FROM `q1`.`value`
JOIN `blanked age
of 👩` AS `q2` ON `s`.`age
of 👩` IS NOT DISTINCT FROM `q2`.`value`
JOIN `blanked SELECT` AS `q3` ON `s`.`SELECT` IS NOT DISTINCT FROM `q3`.`value`
LEFT JOIN `bla'nked` AS m
  ON m.`class_0` = `q0`.`code` AND m.`class_1` = `q1`.`code_1` AND m.`class_2` = `q2`.`code_2` AND m.`class_3` = `q3`.`code`
WHERE NOT EXISTS (
  SELECT 1
  FROM `left out at last` AS f
  WHERE f.`class_0` = `q0`.`code` AND f.`class_1` = `q1`.`code_1` AND f.`class_2` = `q2`.`code_2` AND f.`class_3` = `q3`.`code`
)
DISTRIBUTE BY XXHASH64(CAST(`na'me` AS STRING), CAST(`s.s.n` AS STRING), CAST(`se"x` AS STRING), CAST(`zip; --` AS STRING), CAST(`age
of 👩_low` AS STRING), CAST(`age
of 👩_high` AS STRING), CAST(`SELECT` AS STRING), CAST(`dis'ease` AS STRING), CAST(`ward 🏥` AS STRING), CAST(`vis.it` AS STRING))
SORT BY XXHASH64(CAST(`na'me` AS STRING), CAST(`s.s.n` AS STRING), CAST(`se"x` AS STRING), CAST(`zip; --` AS STRING), CAST(`age
of 👩_low` AS STRING), CAST(`age
of 👩_high` AS STRING), CAST(`SELECT` AS STRING), CAST(`dis'ease` AS STRING), CAST(`ward 🏥` AS STRING), CAST(`vis.it` AS STRING))
