-- edges
CREATE TEMP TABLE "edges 2" AS
WITH candidate_edges AS (
  SELECT p.node AS finer, q.node AS coarser
  FROM "cand 2" AS p
  JOIN "ed'ges" AS e ON e.finer = p.parent_1
  JOIN "ed'ges" AS f ON f.finer = p.parent_2
  JOIN "cand 2" AS q ON q.parent_1 = e.coarser AND q.parent_2 = f.coarser
  UNION
  SELECT p.node AS finer, q.node AS coarser
  FROM "cand 2" AS p
  JOIN "ed'ges" AS e ON e.finer = p.parent_1
  JOIN "cand 2" AS q ON q.parent_1 = e.coarser AND q.parent_2 = p.parent_2
  UNION
  SELECT p.node AS finer, q.node AS coarser
  FROM "cand 2" AS p
  JOIN "ed'ges" AS f ON f.finer = p.parent_2
  JOIN "cand 2" AS q ON q.parent_1 = p.parent_1 AND q.parent_2 = f.coarser
)
SELECT finer, coarser
FROM candidate_edges
EXCEPT
SELECT a.finer, b.coarser
FROM candidate_edges AS a
JOIN candidate_edges AS b ON a.coarser = b.finer
