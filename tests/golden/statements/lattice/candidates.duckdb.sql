-- candidates
CREATE TEMP TABLE "cand 2" AS
SELECT
  c.node,
  c.last_quasi,
  c.parent_1,
  c.parent_2
FROM (
  SELECT
    p.node + q.node - q.parent_1 AS node,
    q.last_quasi,
    p.node AS parent_1,
    q.node AS parent_2
  FROM "surv""ivors" AS p
  JOIN "surv""ivors" AS q ON p.parent_1 = q.parent_1 AND p.last_quasi < q.last_quasi
) AS c
JOIN "levels" AS l ON (c.node & l.mask) = l.node
JOIN "surv""ivors" AS s ON s.node = c.node - l.node
GROUP BY c.node, c.last_quasi, c.parent_1, c.parent_2
HAVING COUNT(*) = 2
