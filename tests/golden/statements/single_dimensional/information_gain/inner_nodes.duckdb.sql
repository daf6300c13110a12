-- inner_nodes
SELECT
  n.node,
  n.low,
  n.high,
  n.level,
  g.gain,
  g.row_count,
  n.parent
FROM "no'des" AS n
JOIN "gains of; --" AS g ON g.node = n.node
ORDER BY n.node
