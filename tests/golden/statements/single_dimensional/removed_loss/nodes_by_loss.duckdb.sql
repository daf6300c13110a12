-- nodes_by_loss
CREATE TEMP TABLE "gains by lo'ss" AS
SELECT
  u.node,
  CAST(SUM(u.row_count) AS BIGINT) AS row_count,
  CAST(SUM(u.row_count * (w.width - c.width)) AS BIGINT) AS gain
FROM (
  SELECT
    l."node_1" AS node,
    l."node_0" AS child,
    m.row_count
  FROM "counts by lo'ss" AS m
  JOIN "up of; --" AS l ON l.place = m.place
  WHERE l."node_1" IS NOT NULL
  UNION ALL
  SELECT
    l."node_2" AS node,
    l."node_1" AS child,
    m.row_count
  FROM "counts by lo'ss" AS m
  JOIN "up of; --" AS l ON l.place = m.place
  WHERE l."node_2" IS NOT NULL
) AS u
JOIN "wid;ths" AS w ON w.node = u.node
JOIN "wid;ths" AS c ON c.node = u.child
GROUP BY u.node
