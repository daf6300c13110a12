-- duckdb
CREATE TEMP TABLE "frequency ""set"" 3" AS
SELECT
"q0"."key_1" + "q1"."key_1" + "q2"."key_1" AS "key_1",
"q2"."key_2" + "q3"."key_2" AS "key_2",
  "v1"."code" AS "sensitive_1",
  "s"."who" AS entity,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS s
JOIN "codes se""x" AS "q0" ON "s"."se""x" IS NOT DISTINCT FROM "q0"."value"
JOIN "codes zip; --" AS "q1" ON "s"."zip; --" IS NOT DISTINCT FROM "q1"."value"
JOIN "codes age
of 👩" AS "q2" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q2"."value"
JOIN "codes SELECT" AS "q3" ON "s"."SELECT" IS NOT DISTINCT FROM "q3"."value"
JOIN "values dis'ease" AS "v1" ON "s"."dis'ease" IS NOT DISTINCT FROM "v1"."value"
GROUP BY 1, 2, 3, 4
ORDER BY "key_1", "key_2"

-- postgres
CREATE TEMP TABLE "frequency ""set"" 3" AS
SELECT
  "key_1",
  "key_2",
  "sensitive_1",
  entity,
  COUNT(*) AS row_count
FROM (
  SELECT
"q0"."key_1" + "q1"."key_1" + "q2"."key_1" AS "key_1",
"q2"."key_2" + "q3"."key_2" AS "key_2"
,
    "v1"."code" AS "sensitive_1",
    "s"."who" AS entity
  FROM "the source; DROP TABLE x" AS s
  JOIN "codes se""x" AS "q0" ON ARRAY["s"."se""x"] = ARRAY["q0"."value"]
  JOIN "codes zip; --" AS "q1" ON "s"."zip; --" = "q1"."value"
  JOIN "codes age
of 👩" AS "q2" ON "s"."age
of 👩" = "q2"."value"
  JOIN "codes SELECT" AS "q3" ON ARRAY["s"."SELECT"] = ARRAY["q3"."value"]
  JOIN "values dis'ease" AS "v1" ON ARRAY["s"."dis'ease"] = ARRAY["v1"."value"]
  ORDER BY "key_1", "key_2"
) AS t
GROUP BY 1, 2, 3, 4
ORDER BY "key_1", "key_2"

-- spark
CREATE TEMP VIEW `frequency "set" 3` AS
SELECT
`q0`.`key_1` + `q1`.`key_1` + `q2`.`key_1` AS `key_1`,
`q2`.`key_2` + `q3`.`key_2` AS `key_2`,
  `v1`.`code` AS `sensitive_1`,
  `s`.`who` AS entity,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x` AS s
JOIN `codes se"x` AS `q0` ON `s`.`se"x` IS NOT DISTINCT FROM `q0`.`value`
JOIN `codes zip; --` AS `q1` ON `s`.`zip; --` IS NOT DISTINCT FROM `q1`.`value`
JOIN `codes age
of 👩` AS `q2` ON `s`.`age
of 👩` IS NOT DISTINCT FROM `q2`.`value`
JOIN `codes SELECT` AS `q3` ON `s`.`SELECT` IS NOT DISTINCT FROM `q3`.`value`
JOIN `values dis'ease` AS `v1` ON `s`.`dis'ease` IS NOT DISTINCT FROM `v1`.`value`
GROUP BY 1, 2, 3, 4
