-- duckdb
CREATE TEMP TABLE "places of person's" AS
SELECT
  CAST(0 AS BIGINT) AS region,
  "q0"."place" AS "place_0",
  "q1"."place" AS "place_1",
  "s"."na'me" AS entity,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS s
JOIN "line; 0" AS "q0" ON "s"."age
of 👩" IS NOT DISTINCT FROM "q0"."value"
JOIN "ran'ked" AS "q1" ON "s"."zip; --" IS NOT DISTINCT FROM "q1"."value"
GROUP BY 2, 3, 4

-- postgres
CREATE TEMP TABLE "places of person's" AS
SELECT
  CAST(0 AS BIGINT) AS region,
  "q0"."place" AS "place_0",
  "q1"."place" AS "place_1",
  "s"."na'me" AS entity,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x" AS s
JOIN "line; 0" AS "q0" ON ARRAY["s"."age
of 👩"] = ARRAY["q0"."value"]
JOIN "ran'ked" AS "q1" ON ARRAY["s"."zip; --"] = ARRAY["q1"."value"]
GROUP BY 2, 3, 4

-- spark
CREATE TEMP VIEW `places of person's` AS
SELECT
  CAST(0 AS BIGINT) AS region,
  `q0`.`place` AS `place_0`,
  `q1`.`place` AS `place_1`,
  `s`.`na'me` AS entity,
  COUNT(*) AS row_count
FROM `the source; DROP TABLE x` AS s
JOIN `line; 0` AS `q0` ON `s`.`age
of 👩` IS NOT DISTINCT FROM `q0`.`value`
JOIN `ran'ked` AS `q1` ON `s`.`zip; --` IS NOT DISTINCT FROM `q1`.`value`
GROUP BY 2, 3, 4
