-- duckdb, postgres
CREATE TEMP TABLE "deep" AS
SELECT
  n_1.low AS place,
  n_1.node AS node_0,
  n_1.parent AS node_1,
  "n_2".parent AS "node_2",
  "n_3".parent AS "node_3"
FROM "no'des" AS n_1
LEFT JOIN "no'des" AS "n_2" ON "n_2".node = "n_1".parent
LEFT JOIN "no'des" AS "n_3" ON "n_3".node = "n_2".parent
WHERE n_1.low = n_1.high

-- spark
CREATE TEMP VIEW `deep` AS
SELECT
  n_1.low AS place,
  n_1.node AS node_0,
  n_1.parent AS node_1,
  `n_2`.parent AS `node_2`,
  `n_3`.parent AS `node_3`
FROM `no'des` AS n_1
LEFT JOIN `no'des` AS `n_2` ON `n_2`.node = `n_1`.parent
LEFT JOIN `no'des` AS `n_3` ON `n_3`.node = `n_2`.parent
WHERE n_1.low = n_1.high
