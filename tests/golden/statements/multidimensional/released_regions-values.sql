-- duckdb, postgres
CREATE TEMP TABLE "val'ued" AS
SELECT
  r.region,
  "c0".value AS "value_of_0",
  CAST(FLOOR(r."width_0" * 1000000000 + 0.5) AS BIGINT) AS "width_0",
  "c1".label AS "label_of_1",
  CAST(FLOOR("c1".share * 1000000000 + 0.5) AS BIGINT) AS "width_1",
  "t2".label AS "label_of_2",
  CAST(FLOOR(r."width_2" * 1000000000 + 0.5) AS BIGINT) AS "width_2",
  r.row_count
FROM "en'ds" AS r
JOIN "o'ne-median" AS "c0" ON "c0".region = r.region
JOIN "se'ts" AS "c1" ON "c1".region = r.region
JOIN "no'des" AS "t2" ON "t2".level = r."level_2" AND "t2".node = r."node_2"

-- spark
CREATE TEMP VIEW `val'ued` AS
SELECT
  r.region,
  `c0`.value AS `value_of_0`,
  CAST(FLOOR(r.`width_0` * 1000000000 + 0.5) AS BIGINT) AS `width_0`,
  `c1`.label AS `label_of_1`,
  CAST(FLOOR(`c1`.share * 1000000000 + 0.5) AS BIGINT) AS `width_1`,
  `t2`.label AS `label_of_2`,
  CAST(FLOOR(r.`width_2` * 1000000000 + 0.5) AS BIGINT) AS `width_2`,
  r.row_count
FROM `en'ds` AS r
JOIN `o'ne-median` AS `c0` ON `c0`.region = r.region
JOIN `se'ts` AS `c1` ON `c1`.region = r.region
JOIN `no'des` AS `t2` ON `t2`.level = r.`level_2` AND `t2`.node = r.`node_2`
