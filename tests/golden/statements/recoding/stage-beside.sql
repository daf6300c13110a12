-- duckdb
CREATE TEMP TABLE "co'des by lot" AS
SELECT
  CASE WHEN FALSE THEN "s"."s.s.n" END AS "s.s.n",
  "s"."dis'ease" AS "dis'ease",
  "s"."kanon_code_2_" AS "ward 🏥",
  "s"."vis.it" AS "vis.it",
  "m"."low_of_0" AS "age
of 👩_low",
  "m"."high_of_0" AS "age
of 👩_high",
  "m"."label_of_1" AS "se""x",
  "m"."label_of_2" AS "zip; --",
  "s"."who" AS "_kanon_entity"
FROM (
  SELECT
    s.*,
    ROW_NUMBER() OVER (PARTITION BY s."tuple_0", s."tuple_1", s."spread_0", s."spread_1", s."entity" ORDER BY s."lot") AS "nth"
  FROM (
    SELECT
      s.*,
(CAST("q0"."place" AS BIGINT) * 3 + "q1"."place") AS "tuple_0",
CAST("q2"."place" AS BIGINT) AS "tuple_1",
"v0"."code" AS "spread_0",
"v1"."code" AS "spread_1",
"s"."who" AS "entity",
      "kanon_values_2"."value" AS "kanon_code_2_",
      random() AS "lot"
    FROM "the source; DROP TABLE x" AS s
    JOIN "line; 0" AS "q0" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q0"."value"
    JOIN "line; 2" AS "q1" ON "s"."se""x" IS NOT DISTINCT FROM "q1"."value"
    JOIN "tr'ee" AS "q2" ON "s"."zip; --" IS NOT DISTINCT FROM "q2"."value"
    JOIN "wards by; lot" AS "kanon_values_2" ON "s"."ward 🏥" IS NOT DISTINCT FROM "kanon_values_2"."value"
    JOIN "values dis'ease" AS "v0" ON "s"."dis'ease" IS NOT DISTINCT FROM "v0"."value"
    JOIN "values ward 🏥" AS "v1" ON "s"."ward 🏥" IS NOT DISTINCT FROM "v1"."value"
  ) AS s
) AS s
JOIN "dealt; ho'mes" AS r
  ON r."tuple_0" = "s"."tuple_0" AND r."tuple_1" = "s"."tuple_1" AND "r"."spread_0" IS NOT DISTINCT FROM "s"."spread_0" AND "r"."spread_1" IS NOT DISTINCT FROM "s"."spread_1" AND r."entity" = "s"."entity"
  AND s."nth" BETWEEN r.first_nth AND r.last_nth
JOIN "box'es" AS m ON m.region = r.region
ORDER BY random()

-- postgres
CREATE TEMP TABLE "co'des by lot" AS
SELECT
  CASE WHEN FALSE THEN "s"."s.s.n" END AS "s.s.n",
  "s"."dis'ease" AS "dis'ease",
  "s"."kanon_code_2_" AS "ward 🏥",
  "s"."vis.it" AS "vis.it",
  "m"."low_of_0" AS "age
of 👩_low",
  "m"."high_of_0" AS "age
of 👩_high",
  "m"."label_of_1" AS "se""x",
  "m"."label_of_2" AS "zip; --",
  "s"."who" AS "_kanon_entity"
FROM (
  SELECT
    s.*,
    ROW_NUMBER() OVER (PARTITION BY s."tuple_0", s."tuple_1", s."spread_0", s."spread_1", s."entity" ORDER BY s."lot") AS "nth"
  FROM (
    SELECT
      s.*,
(CAST("q0"."place" AS BIGINT) * 3 + "q1"."place") AS "tuple_0",
CAST("q2"."place" AS BIGINT) AS "tuple_1",
"v0"."code" AS "spread_0",
"v1"."code" AS "spread_1",
"s"."who" AS "entity",
      "kanon_values_2"."value" AS "kanon_code_2_",
      random() AS "lot"
    FROM "the source; DROP TABLE x" AS s
    JOIN "line; 0" AS "q0" ON ARRAY["s"."age
of 👩"] = ARRAY["q0"."value"]
    JOIN "line; 2" AS "q1" ON ARRAY["s"."se""x"] = ARRAY["q1"."value"]
    JOIN "tr'ee" AS "q2" ON ARRAY["s"."zip; --"] = ARRAY["q2"."value"]
    JOIN "wards by; lot" AS "kanon_values_2" ON ARRAY["s"."ward 🏥"] = ARRAY["kanon_values_2"."value"]
    JOIN "values dis'ease" AS "v0" ON ARRAY["s"."dis'ease"] = ARRAY["v0"."value"]
    JOIN "values ward 🏥" AS "v1" ON ARRAY["s"."ward 🏥"] = ARRAY["v1"."value"]
  ) AS s
) AS s
JOIN "dealt; ho'mes" AS r
  ON r."tuple_0" = "s"."tuple_0" AND r."tuple_1" = "s"."tuple_1" AND ARRAY["r"."spread_0"] = ARRAY["s"."spread_0"] AND ARRAY["r"."spread_1"] = ARRAY["s"."spread_1"] AND r."entity" = "s"."entity"
  AND s."nth" BETWEEN r.first_nth AND r.last_nth
JOIN "box'es" AS m ON m.region = r.region
ORDER BY CAST(random() * 9007199254740992 AS BIGINT)

-- spark
CREATE TEMP VIEW `co'des by lot` AS
SELECT
  CASE WHEN FALSE THEN `s`.`s.s.n` END AS `s.s.n`,
  `s`.`dis'ease` AS `dis'ease`,
  `s`.`kanon_code_2_` AS `ward 🏥`,
  `s`.`vis.it` AS `vis.it`,
  `m`.`low_of_0` AS `age
of 👩_low`,
  `m`.`high_of_0` AS `age
of 👩_high`,
  `m`.`label_of_1` AS `se"x`,
  `m`.`label_of_2` AS `zip; --`,
  `s`.`who` AS `_kanon_entity`
FROM (
  SELECT
    s.*,
    ROW_NUMBER() OVER (PARTITION BY s.`tuple_0`, s.`tuple_1`, s.`spread_0`, s.`spread_1`, s.`entity` ORDER BY s.`lot`) AS `nth`
  FROM (
    SELECT
      s.*,
(CAST(`q0`.`place` AS BIGINT) * 3 + `q1`.`place`) AS `tuple_0`,
CAST(`q2`.`place` AS BIGINT) AS `tuple_1`,
`v0`.`code` AS `spread_0`,
`v1`.`code` AS `spread_1`,
`s`.`who` AS `entity`,
      `kanon_values_2`.`value` AS `kanon_code_2_`,
      random() AS `lot`
    FROM `the source; DROP TABLE x` AS s
    JOIN `line; 0` AS `q0` ON `s`.`age
of 👩` IS NOT DISTINCT FROM `q0`.`value`
    JOIN `line; 2` AS `q1` ON `s`.`se"x` IS NOT DISTINCT FROM `q1`.`value`
    JOIN `tr'ee` AS `q2` ON `s`.`zip; --` IS NOT DISTINCT FROM `q2`.`value`
    JOIN `wards by; lot` AS `kanon_values_2` ON `s`.`ward 🏥` IS NOT DISTINCT FROM `kanon_values_2`.`value`
    JOIN `values dis'ease` AS `v0` ON `s`.`dis'ease` IS NOT DISTINCT FROM `v0`.`value`
    JOIN `values ward 🏥` AS `v1` ON `s`.`ward 🏥` IS NOT DISTINCT FROM `v1`.`value`
  ) AS s
) AS s
JOIN `dealt; ho'mes` AS r
  ON r.`tuple_0` = `s`.`tuple_0` AND r.`tuple_1` = `s`.`tuple_1` AND `r`.`spread_0` IS NOT DISTINCT FROM `s`.`spread_0` AND `r`.`spread_1` IS NOT DISTINCT FROM `s`.`spread_1` AND r.`entity` = `s`.`entity`
  AND s.`nth` BETWEEN r.first_nth AND r.last_nth
JOIN `box'es` AS m ON m.region = r.region
DISTRIBUTE BY XXHASH64(CAST(`s.s.n` AS STRING), CAST(`dis'ease` AS STRING), CAST(`ward 🏥` AS STRING), CAST(`vis.it` AS STRING), CAST(`age
of 👩_low` AS STRING), CAST(`age
of 👩_high` AS STRING), CAST(`se"x` AS STRING), CAST(`zip; --` AS STRING))
SORT BY XXHASH64(CAST(`s.s.n` AS STRING), CAST(`dis'ease` AS STRING), CAST(`ward 🏥` AS STRING), CAST(`vis.it` AS STRING), CAST(`age
of 👩_low` AS STRING), CAST(`age
of 👩_high` AS STRING), CAST(`se"x` AS STRING), CAST(`zip; --` AS STRING))
