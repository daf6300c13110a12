-- node_intervals
CREATE TEMP TABLE "nodes of ran'ked" AS
WITH labels AS (
  SELECT 0 AS level, path & CAST(4035225266123964416 AS BIGINT) AS label, MIN(place) AS low, MAX(place) AS high
  FROM "ran'ked" AS r
  GROUP BY path & CAST(4035225266123964416 AS BIGINT)
  UNION ALL
  SELECT 1 AS level, path & CAST(3458764513820540928 AS BIGINT) AS label, MIN(place) AS low, MAX(place) AS high
  FROM "ran'ked" AS r
  GROUP BY path & CAST(3458764513820540928 AS BIGINT)
  UNION ALL
  SELECT 2 AS level, path & CAST(0 AS BIGINT) AS label, MIN(place) AS low, MAX(place) AS high
  FROM "ran'ked" AS r
  GROUP BY path & CAST(0 AS BIGINT)
),
intervals AS (
  SELECT low, high, MIN(level) AS level, MAX(level) AS last_level
  FROM labels AS l
  GROUP BY low, high
),
numbered AS (
  SELECT
    CAST(ROW_NUMBER() OVER (ORDER BY low, high DESC) - 1 AS INTEGER) AS node,
    low,
    high,
    level,
    last_level
  FROM intervals AS i
),
above AS (
  SELECT n.node, p.node AS parent
  FROM numbered AS n
  JOIN (SELECT place, MIN(path) AS path FROM "ran'ked" AS r GROUP BY place) AS k ON k.place = n.low
  JOIN labels AS l
    ON l.level = n.last_level + 1
    AND l.label = k.path & CASE n.last_level + 1 WHEN 0 THEN CAST(4035225266123964416 AS BIGINT) WHEN 1 THEN CAST(3458764513820540928 AS BIGINT) WHEN 2 THEN CAST(0 AS BIGINT) END
  JOIN numbered AS p ON p.low = l.low AND p.high = l.high
)
SELECT n.node, a.parent, n.low, n.high, CAST(n.level AS INTEGER) AS level
FROM numbered AS n
LEFT JOIN above AS a ON a.node = n.node
