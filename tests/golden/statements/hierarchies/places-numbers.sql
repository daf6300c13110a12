-- duckdb
CREATE TEMP TABLE "tuples with a tar'get" AS
SELECT
  CAST(0 AS BIGINT) AS region,
  "q0"."place" AS "place_0",
  "t"."code" - 1 AS "target",
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS s
JOIN "line; 0" AS "q0" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q0"."value"
JOIN "whole num'bers" AS "t" ON "s"."age
of 👩" IS NOT DISTINCT FROM "t"."value"
GROUP BY 2, 3

-- postgres
CREATE TEMP TABLE "tuples with a tar'get" AS
SELECT
  CAST(0 AS BIGINT) AS region,
  "q0"."place" AS "place_0",
  "t"."code" - 1 AS "target",
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS s
JOIN "line; 0" AS "q0" ON ARRAY["s"."age
of 👩"] = ARRAY["q0"."value"]
JOIN "whole num'bers" AS "t" ON ARRAY["s"."age
of 👩"] = ARRAY["t"."value"]
GROUP BY 2, 3

-- spark
CREATE TEMP VIEW `tuples with a tar'get` AS
SELECT
  CAST(0 AS BIGINT) AS region,
  `q0`.`place` AS `place_0`,
  `t`.`code` - 1 AS `target`,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x` AS s
JOIN `line; 0` AS `q0` ON `s`.`age
of 👩` IS NOT DISTINCT FROM `q0`.`value`
JOIN `whole num'bers` AS `t` ON `s`.`age
of 👩` IS NOT DISTINCT FROM `t`.`value`
GROUP BY 2, 3
