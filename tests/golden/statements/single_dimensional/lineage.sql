-- duckdb, postgres
CREATE TEMP TABLE "up of; --" AS
SELECT
  l.low AS place,
  l.node AS "node_0",
  l.parent AS "node_1",
  "n2".parent AS "node_2"
FROM "no'des" AS l
LEFT JOIN "no'des" AS "n2" ON "n2".node = "l"."parent"
WHERE l.low = l.high

-- spark
CREATE TEMP VIEW `up of; --` AS
SELECT
  l.low AS place,
  l.node AS `node_0`,
  l.parent AS `node_1`,
  `n2`.parent AS `node_2`
FROM `no'des` AS l
LEFT JOIN `no'des` AS `n2` ON `n2`.node = `l`.`parent`
WHERE l.low = l.high
