-- duckdb, postgres
SELECT
  c.node,
  e.coarser
FROM "cand 2" AS c
LEFT JOIN "edges 2" AS e ON e.finer = c.node
ORDER BY c.node, e.coarser

-- spark
SELECT
  c.node,
  e.coarser
FROM `cand 2` AS c
LEFT JOIN `edges 2` AS e ON e.finer = c.node
ORDER BY c.node, e.coarser
