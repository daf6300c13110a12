-- duckdb
SELECT
  s0.query,
  SUM(CAST("c"."row_count" AS DOUBLE) * "s0"."share" * "s1"."share" * "s2"."share" * "s3"."share") AS counted
FROM "measu'red classes" AS c
JOIN "measu'red shares se""x" AS "s0"
  ON "s0"."label" = "c"."key_0"
JOIN "measu'red shares zip; --" AS "s1"
  ON "s1"."label" = "c"."key_1" AND "s1"."query" = s0.query
JOIN "measu'red shares age
of 👩" AS "s2"
  ON "s2"."label" = "c"."key_2" AND "s2"."query" = s0.query
JOIN "measu'red shares SELECT" AS "s3"
  ON "s3"."label" = "c"."key_3" AND "s3"."query" = s0.query
GROUP BY s0.query

-- postgres
SELECT
  s0.query,
  SUM(CAST("c"."row_count" AS DOUBLE PRECISION) * "s0"."share" * "s1"."share" * "s2"."share" * "s3"."share") AS counted
FROM "measu'red classes" AS c
JOIN "measu'red shares se""x" AS "s0"
  ON "s0"."label" = "c"."key_0"
JOIN "measu'red shares zip; --" AS "s1"
  ON "s1"."label" = "c"."key_1" AND "s1"."query" = s0.query
JOIN "measu'red shares age
of 👩" AS "s2"
  ON "s2"."label" = "c"."key_2" AND "s2"."query" = s0.query
JOIN "measu'red shares SELECT" AS "s3"
  ON "s3"."label" = "c"."key_3" AND "s3"."query" = s0.query
GROUP BY s0.query

-- spark
SELECT
  s0.query,
  SUM(CAST(`c`.`row_count` AS DOUBLE) * `s0`.`share` * `s1`.`share` * `s2`.`share` * `s3`.`share`) AS counted
FROM `measu'red classes` AS c
JOIN `measu'red shares se"x` AS `s0`
  ON `s0`.`label` = `c`.`key_0`
JOIN `measu'red shares zip; --` AS `s1`
  ON `s1`.`label` = `c`.`key_1` AND `s1`.`query` = s0.query
JOIN `measu'red shares age
of 👩` AS `s2`
  ON `s2`.`label` = `c`.`key_2` AND `s2`.`query` = s0.query
JOIN `measu'red shares SELECT` AS `s3`
  ON `s3`.`label` = `c`.`key_3` AND `s3`.`query` = s0.query
GROUP BY s0.query
