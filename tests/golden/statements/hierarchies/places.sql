-- duckdb
CREATE TEMP TABLE "wor'king" AS
SELECT
  CAST(0 AS BIGINT) AS region,
  "q0"."place" AS "place_0",
  "q1"."place" AS "place_1",
  "q2"."place" AS "place_2",
  "v0"."code" AS "spread_0",
  "v1"."code" AS "spread_1",
  "s"."who" AS entity,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS s
JOIN "line; 0" AS "q0" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q0"."value"
JOIN "line; 2" AS "q1" ON "s"."se""x" IS NOT DISTINCT FROM "q1"."value"
JOIN "tr'ee" AS "q2" ON "s"."zip; --" IS NOT DISTINCT FROM "q2"."value"
JOIN "values dis'ease" AS "v0" ON "s"."dis'ease" IS NOT DISTINCT FROM "v0"."value"
JOIN "values ward 🏥" AS "v1" ON "s"."ward 🏥" IS NOT DISTINCT FROM "v1"."value"
GROUP BY 2, 3, 4, 5, 6, 7

-- postgres
CREATE TEMP TABLE "wor'king" AS
SELECT
  CAST(0 AS BIGINT) AS region,
  "q0"."place" AS "place_0",
  "q1"."place" AS "place_1",
  "q2"."place" AS "place_2",
  "v0"."code" AS "spread_0",
  "v1"."code" AS "spread_1",
  "s"."who" AS entity,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS s
JOIN "line; 0" AS "q0" ON ARRAY["s"."age
of 👩"] = ARRAY["q0"."value"]
JOIN "line; 2" AS "q1" ON ARRAY["s"."se""x"] = ARRAY["q1"."value"]
JOIN "tr'ee" AS "q2" ON ARRAY["s"."zip; --"] = ARRAY["q2"."value"]
JOIN "values dis'ease" AS "v0" ON ARRAY["s"."dis'ease"] = ARRAY["v0"."value"]
JOIN "values ward 🏥" AS "v1" ON ARRAY["s"."ward 🏥"] = ARRAY["v1"."value"]
GROUP BY 2, 3, 4, 5, 6, 7

-- spark
CREATE TEMP VIEW `wor'king` AS
SELECT
  CAST(0 AS BIGINT) AS region,
  `q0`.`place` AS `place_0`,
  `q1`.`place` AS `place_1`,
  `q2`.`place` AS `place_2`,
  `v0`.`code` AS `spread_0`,
  `v1`.`code` AS `spread_1`,
  `s`.`who` AS entity,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x` AS s
JOIN `line; 0` AS `q0` ON `s`.`age
of 👩` IS NOT DISTINCT FROM `q0`.`value`
JOIN `line; 2` AS `q1` ON `s`.`se"x` IS NOT DISTINCT FROM `q1`.`value`
JOIN `tr'ee` AS `q2` ON `s`.`zip; --` IS NOT DISTINCT FROM `q2`.`value`
JOIN `values dis'ease` AS `v0` ON `s`.`dis'ease` IS NOT DISTINCT FROM `v0`.`value`
JOIN `values ward 🏥` AS `v1` ON `s`.`ward 🏥` IS NOT DISTINCT FROM `v1`.`value`
GROUP BY 2, 3, 4, 5, 6, 7
