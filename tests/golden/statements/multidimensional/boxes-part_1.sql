-- duckdb, postgres
CREATE TEMP TABLE "bo'xes 1" AS
SELECT
  r.region,
  "t0".label AS "label_of_0",
  CAST(FLOOR(r."width_0" * 1000000000 + 0.5) AS BIGINT) AS "width_0",
  r.row_count
FROM "ends 1" AS r
JOIN "no'des" AS "t0" ON "t0".level = r."level_0" AND "t0".node = r."node_0"

-- spark
CREATE TEMP VIEW `bo'xes 1` AS
SELECT
  r.region,
  `t0`.label AS `label_of_0`,
  CAST(FLOOR(r.`width_0` * 1000000000 + 0.5) AS BIGINT) AS `width_0`,
  r.row_count
FROM `ends 1` AS r
JOIN `no'des` AS `t0` ON `t0`.level = r.`level_0` AND `t0`.node = r.`node_0`
