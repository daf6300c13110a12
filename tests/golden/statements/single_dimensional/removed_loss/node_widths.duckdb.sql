-- node_widths
CREATE TEMP TABLE "wid;ths" AS
SELECT
  n.node,
  CAST(FLOOR(CASE WHEN n.low = n.high THEN 0 ELSE t.share END * 1000000000 + 0.5) AS BIGINT) AS width
FROM "no'des" AS n
JOIN (SELECT place, MIN(path) AS path FROM "ranked; --" AS r GROUP BY place) AS k ON k.place = n.low
JOIN "labels" AS t
  ON t.level = n.level
  AND t.node = k.path & CASE n.level WHEN 0 THEN CAST(7 AS BIGINT) WHEN 1 THEN CAST(6 AS BIGINT) WHEN 2 THEN CAST(0 AS BIGINT) END
