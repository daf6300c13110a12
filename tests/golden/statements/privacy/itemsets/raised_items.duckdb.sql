-- raised_items
CREATE TEMP TABLE "li'st after" AS
SELECT
  s.class_id,
  s.item_id,
  MAX(CASE WHEN m.level > s.level THEN m.level ELSE s.level END) AS level
FROM "li'st levels" AS s
LEFT JOIN "li'st nodes" AS n ON n.item_id = s.item_id AND n.level >= s.level
LEFT JOIN (
  SELECT DISTINCT
    r.class_id,
    COALESCE(u.label_id, r.label_id) AS label_id,
    l.level AS at_level,
    l.level + 1 AS level
  FROM "raised; 1" AS r
  JOIN "li'st levels" AS l ON l.class_id = r.class_id
  JOIN "li'st nodes" AS n ON n.item_id = l.item_id AND n.level = l.level AND n.label_id = r.label_id
  LEFT JOIN "li'st nodes" AS u ON u.item_id = l.item_id AND u.level = l.level + 1
) AS m ON m.class_id = s.class_id AND m.label_id = n.label_id
GROUP BY s.class_id, s.item_id
