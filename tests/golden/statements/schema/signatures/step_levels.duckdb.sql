-- step_levels
CREATE TEMP TABLE "sig;ned levels" AS
SELECT
  r.class_id,
  r.item_id,
  MAX(n.level) AS level
FROM (SELECT DISTINCT class_id, item_id FROM "eve'nt rows" AS a) AS r
JOIN "sig;ned chosen" AS c ON c.class_id = r.class_id
JOIN "eve'nt nodes" AS n ON n.item_id = r.item_id AND n.level <= c.step
GROUP BY r.class_id, r.item_id
