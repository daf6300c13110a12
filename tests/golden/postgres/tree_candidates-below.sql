SELECT
  n.node,
  n.low,
  n.high,
  n.level,
  g.information,
  g.row_count
FROM "no'des" AS n
JOIN "gains of; --" AS g ON g.node = n.node
WHERE n.parent = 0
ORDER BY n.low
