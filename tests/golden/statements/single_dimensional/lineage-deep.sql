-- duckdb, postgres
CREATE TEMP TABLE "deep" AS
SELECT
  l.low AS place,
  l.node AS "node_0",
  l.parent AS "node_1",
  "n2".parent AS "node_2",
  "n3".parent AS "node_3"
FROM "no'des" AS l
LEFT JOIN "no'des" AS "n2" ON "n2".node = "l"."parent"
LEFT JOIN "no'des" AS "n3" ON "n3".node = "n2"."parent"
WHERE l.low = l.high

-- spark
CREATE TEMP VIEW `deep` AS
SELECT
  l.low AS place,
  l.node AS `node_0`,
  l.parent AS `node_1`,
  `n2`.parent AS `node_2`,
  `n3`.parent AS `node_3`
FROM `no'des` AS l
LEFT JOIN `no'des` AS `n2` ON `n2`.node = `l`.`parent`
LEFT JOIN `no'des` AS `n3` ON `n3`.node = `n2`.`parent`
WHERE l.low = l.high
