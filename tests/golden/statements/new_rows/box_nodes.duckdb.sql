-- box_nodes
CREATE TEMP TABLE "nodes'" AS
SELECT
  parent,
  node,
  MIN("low_0") AS "low_0",
  MAX("high_0") AS "high_0",
  MIN("low_1") AS "low_1",
  MAX("high_1") AS "high_1",
  MIN("low_2") AS "low_2",
  MAX("high_2") AS "high_2"
FROM "parted'" AS b
GROUP BY parent, node
