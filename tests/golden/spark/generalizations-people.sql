SELECT
  n.node,
  n.low,
  n.high,
  n.level,
  g.information,
  g.row_count,
  n.parent,
  COALESCE(i.children, 0) AS inner_children
FROM `no'des` AS n
JOIN `gains of; --` AS g ON g.node = n.node
LEFT JOIN (
  SELECT
    c.parent,
    COUNT(*) AS children
  FROM `no'des` AS c
  WHERE c.low < c.high
  GROUP BY c.parent
) AS i ON i.parent = n.node
WHERE n.node = 0
ORDER BY n.low
