-- ancestors
CREATE TEMP TABLE "up of; --" AS
SELECT
  n_1.low AS place,
  n_1.node AS node_0,
  n_1.parent AS node_1,
  "n_2".parent AS "node_2"
FROM "no'des" AS n_1
LEFT JOIN "no'des" AS "n_2" ON "n_2".node = "n_1".parent
WHERE n_1.low = n_1.high
