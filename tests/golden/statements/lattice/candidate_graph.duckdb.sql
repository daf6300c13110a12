-- candidate_graph
SELECT
  c.node,
  e.coarser
FROM "cand;idates" AS c
LEFT JOIN "ed'ges" AS e ON e.finer = c.node
ORDER BY c.node, e.coarser
