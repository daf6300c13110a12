-- duckdb
CREATE TEMP TABLE "staged by line" AS
SELECT
  CASE WHEN FALSE THEN "s"."carried_0" END AS "s.s.n",
  "s"."carried_1" AS "dis'ease",
  "s"."carried_2" AS "ward 🏥",
  "s"."carried_3" AS "vis.it",
  "m"."low_of_0" AS "age
of 👩_low",
  "m"."high_of_0" AS "age
of 👩_high",
  "m"."label_of_1" AS "se""x",
  "m"."label_of_2" AS "zip; --",
  "s"."carried_8" AS "_kanon_entity"
FROM (
  SELECT
    w.*,
    ROW_NUMBER() OVER (ORDER BY "w"."key_0", w.lot) - 1 AS nth
  FROM (
SELECT
  w.*,
(("w"."digit_0" * "w"."radix_1" + "w"."digit_1") * "w"."radix_2" + "w"."digit_2") AS "key_0"
FROM (
  SELECT
    w.*,
    CASE WHEN "odd_1" = 0 THEN "own_2" ELSE "radix_2" - 1 - "own_2" END AS "digit_2",
    ("odd_1" * "radix_2" + CASE WHEN "odd_1" = 0 THEN "own_2" ELSE "radix_2" - 1 - "own_2" END) & 1 AS "odd_2"
  FROM (
  SELECT
    w.*,
    CASE WHEN "odd_0" = 0 THEN "own_1" ELSE "radix_1" - 1 - "own_1" END AS "digit_1",
    ("odd_0" * "radix_1" + CASE WHEN "odd_0" = 0 THEN "own_1" ELSE "radix_1" - 1 - "own_1" END) & 1 AS "odd_1"
  FROM (
  SELECT
    w.*,
"rank_2" AS "digit_0",
"rank_2" & 1 AS "odd_0"
  FROM (
  SELECT
    w.*,
"rank_0" AS "own_1",
"rank_1" AS "own_2"
  FROM (
    SELECT
      "s"."s.s.n" AS "carried_0",
      "s"."dis'ease" AS "carried_1",
      "s"."ward 🏥" AS "carried_2",
      "s"."vis.it" AS "carried_3",
      "s"."who" AS "carried_8",
      CAST(2 AS BIGINT) AS "radix_0",
      CAST(3 AS BIGINT) AS "radix_1",
      CAST(4 AS BIGINT) AS "radix_2",
"r0"."local_rank" AS "rank_0",
"q1"."place" - -1 AS "rank_1",
"r2"."local_rank" AS "rank_2",
      random() AS lot
    FROM "the source; DROP TABLE x" AS s
    JOIN "line; 0" AS "q0" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q0"."value"
    JOIN "line; 2" AS "q1" ON "s"."se""x" IS NOT DISTINCT FROM "q1"."value"
    JOIN "tr'ee" AS "q2" ON "s"."zip; --" IS NOT DISTINCT FROM "q2"."value"
    LEFT JOIN "ra'nks" AS "r0" ON "r0".axis = 0 AND "r0".place = "q0"."place"
    LEFT JOIN "ra'nks" AS "r2" ON "r2".axis = 2 AND "r2".place = "q2"."place"
  ) AS w
  ) AS w
  ) AS w
  ) AS w
) AS w
) AS w
) AS s
LEFT JOIN "fil'led ru'ns" AS f
  ON "f"."key_0" = "s"."key_0" AND s.nth BETWEEN f.region AND f.last_row
JOIN "keyed box'es" AS m
  ON m.region = COALESCE(f.region, CASE WHEN "s"."nth" < 3 THEN "s"."nth" - "s"."nth" % 3 ELSE "s"."nth" - ("s"."nth" - 3) % 2 END)
  AND "s"."key_0" BETWEEN m.least_key AND m.greatest_key
ORDER BY random()

-- postgres
CREATE TEMP TABLE "staged by line" AS
SELECT
  CASE WHEN FALSE THEN "s"."carried_0" END AS "s.s.n",
  "s"."carried_1" AS "dis'ease",
  "s"."carried_2" AS "ward 🏥",
  "s"."carried_3" AS "vis.it",
  "m"."low_of_0" AS "age
of 👩_low",
  "m"."high_of_0" AS "age
of 👩_high",
  "m"."label_of_1" AS "se""x",
  "m"."label_of_2" AS "zip; --",
  "s"."carried_8" AS "_kanon_entity"
FROM (
  SELECT
    w.*,
    ROW_NUMBER() OVER (ORDER BY "w"."key_0", w.lot) - 1 AS nth
  FROM (
SELECT
  w.*,
(("w"."digit_0" * "w"."radix_1" + "w"."digit_1") * "w"."radix_2" + "w"."digit_2") AS "key_0"
FROM (
  SELECT
    w.*,
    CASE WHEN "odd_1" = 0 THEN "own_2" ELSE "radix_2" - 1 - "own_2" END AS "digit_2",
    ("odd_1" * "radix_2" + CASE WHEN "odd_1" = 0 THEN "own_2" ELSE "radix_2" - 1 - "own_2" END) & 1 AS "odd_2"
  FROM (
  SELECT
    w.*,
    CASE WHEN "odd_0" = 0 THEN "own_1" ELSE "radix_1" - 1 - "own_1" END AS "digit_1",
    ("odd_0" * "radix_1" + CASE WHEN "odd_0" = 0 THEN "own_1" ELSE "radix_1" - 1 - "own_1" END) & 1 AS "odd_1"
  FROM (
  SELECT
    w.*,
"rank_2" AS "digit_0",
"rank_2" & 1 AS "odd_0"
  FROM (
  SELECT
    w.*,
"rank_0" AS "own_1",
"rank_1" AS "own_2"
  FROM (
    SELECT
      "s"."s.s.n" AS "carried_0",
      "s"."dis'ease" AS "carried_1",
      "s"."ward 🏥" AS "carried_2",
      "s"."vis.it" AS "carried_3",
      "s"."who" AS "carried_8",
      CAST(2 AS BIGINT) AS "radix_0",
      CAST(3 AS BIGINT) AS "radix_1",
      CAST(4 AS BIGINT) AS "radix_2",
"r0"."local_rank" AS "rank_0",
"q1"."place" - -1 AS "rank_1",
"r2"."local_rank" AS "rank_2",
      random() AS lot
    FROM "the source; DROP TABLE x" AS s
    JOIN "line; 0" AS "q0" ON ARRAY["s"."age
of 👩"] = ARRAY["q0"."value"]
    JOIN "line; 2" AS "q1" ON ARRAY["s"."se""x"] = ARRAY["q1"."value"]
    JOIN "tr'ee" AS "q2" ON ARRAY["s"."zip; --"] = ARRAY["q2"."value"]
    LEFT JOIN "ra'nks" AS "r0" ON "r0".axis = 0 AND "r0".place = "q0"."place"
    LEFT JOIN "ra'nks" AS "r2" ON "r2".axis = 2 AND "r2".place = "q2"."place"
  ) AS w
  ) AS w
  ) AS w
  ) AS w
) AS w
) AS w
) AS s
LEFT JOIN "fil'led ru'ns" AS f
  ON "f"."key_0" = "s"."key_0" AND s.nth BETWEEN f.region AND f.last_row
JOIN "keyed box'es" AS m
  ON m.region = COALESCE(f.region, CASE WHEN "s"."nth" < 3 THEN "s"."nth" - "s"."nth" % 3 ELSE "s"."nth" - ("s"."nth" - 3) % 2 END)
  AND "s"."key_0" BETWEEN m.least_key AND m.greatest_key
ORDER BY CAST(random() * 9007199254740992 AS BIGINT)

-- spark
CREATE TEMP VIEW `staged by line` AS
SELECT
  CASE WHEN FALSE THEN `s`.`carried_0` END AS `s.s.n`,
  `s`.`carried_1` AS `dis'ease`,
  `s`.`carried_2` AS `ward 🏥`,
  `s`.`carried_3` AS `vis.it`,
  `m`.`low_of_0` AS `age
of 👩_low`,
  `m`.`high_of_0` AS `age
of 👩_high`,
  `m`.`label_of_1` AS `se"x`,
  `m`.`label_of_2` AS `zip; --`,
  `s`.`carried_8` AS `_kanon_entity`
FROM (
  SELECT
    w.*,
    ROW_NUMBER() OVER (ORDER BY `w`.`key_0`, w.lot) - 1 AS nth
  FROM (
SELECT
  w.*,
((`w`.`digit_0` * `w`.`radix_1` + `w`.`digit_1`) * `w`.`radix_2` + `w`.`digit_2`) AS `key_0`
FROM (
  SELECT
    w.*,
    CASE WHEN `odd_1` = 0 THEN `own_2` ELSE `radix_2` - 1 - `own_2` END AS `digit_2`,
    (`odd_1` * `radix_2` + CASE WHEN `odd_1` = 0 THEN `own_2` ELSE `radix_2` - 1 - `own_2` END) & 1 AS `odd_2`
  FROM (
  SELECT
    w.*,
    CASE WHEN `odd_0` = 0 THEN `own_1` ELSE `radix_1` - 1 - `own_1` END AS `digit_1`,
    (`odd_0` * `radix_1` + CASE WHEN `odd_0` = 0 THEN `own_1` ELSE `radix_1` - 1 - `own_1` END) & 1 AS `odd_1`
  FROM (
  SELECT
    w.*,
`rank_2` AS `digit_0`,
`rank_2` & 1 AS `odd_0`
  FROM (
  SELECT
    w.*,
`rank_0` AS `own_1`,
`rank_1` AS `own_2`
  FROM (
    SELECT
      `s`.`s.s.n` AS `carried_0`,
      `s`.`dis'ease` AS `carried_1`,
      `s`.`ward 🏥` AS `carried_2`,
      `s`.`vis.it` AS `carried_3`,
      `s`.`who` AS `carried_8`,
      CAST(2 AS BIGINT) AS `radix_0`,
      CAST(3 AS BIGINT) AS `radix_1`,
      CAST(4 AS BIGINT) AS `radix_2`,
`r0`.`local_rank` AS `rank_0`,
`q1`.`place` - -1 AS `rank_1`,
`r2`.`local_rank` AS `rank_2`,
      random() AS lot
    FROM `the source; DROP TABLE x` AS s
    JOIN `line; 0` AS `q0` ON `s`.`age
of 👩` IS NOT DISTINCT FROM `q0`.`value`
    JOIN `line; 2` AS `q1` ON `s`.`se"x` IS NOT DISTINCT FROM `q1`.`value`
    JOIN `tr'ee` AS `q2` ON `s`.`zip; --` IS NOT DISTINCT FROM `q2`.`value`
    LEFT JOIN `ra'nks` AS `r0` ON `r0`.axis = 0 AND `r0`.place = `q0`.`place`
    LEFT JOIN `ra'nks` AS `r2` ON `r2`.axis = 2 AND `r2`.place = `q2`.`place`
  ) AS w
  ) AS w
  ) AS w
  ) AS w
) AS w
) AS w
) AS s
LEFT JOIN `fil'led ru'ns` AS f
  ON `f`.`key_0` = `s`.`key_0` AND s.nth BETWEEN f.region AND f.last_row
JOIN `keyed box'es` AS m
  ON m.region = COALESCE(f.region, CASE WHEN `s`.`nth` < 3 THEN `s`.`nth` - `s`.`nth` % 3 ELSE `s`.`nth` - (`s`.`nth` - 3) % 2 END)
  AND `s`.`key_0` BETWEEN m.least_key AND m.greatest_key
DISTRIBUTE BY XXHASH64(CAST(`s.s.n` AS STRING), CAST(`dis'ease` AS STRING), CAST(`ward 🏥` AS STRING), CAST(`vis.it` AS STRING), CAST(`age
of 👩_low` AS STRING), CAST(`age
of 👩_high` AS STRING), CAST(`se"x` AS STRING), CAST(`zip; --` AS STRING))
SORT BY XXHASH64(CAST(`s.s.n` AS STRING), CAST(`dis'ease` AS STRING), CAST(`ward 🏥` AS STRING), CAST(`vis.it` AS STRING), CAST(`age
of 👩_low` AS STRING), CAST(`age
of 👩_high` AS STRING), CAST(`se"x` AS STRING), CAST(`zip; --` AS STRING))
