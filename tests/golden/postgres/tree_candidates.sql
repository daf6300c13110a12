SELECT
  n.node,
  n.low,
  n.high,
  n.level,
  g.information,
  g.row_count
FROM "no'des" AS n
JOIN "gains of; --" AS g ON g.node = n.node
WHERE n.parent IS NULL
ORDER BY n.low
