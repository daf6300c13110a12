-- raised_items
CREATE TEMP TABLE "li'st after" AS
SELECT
  s.class_id,
  s.item_id,
  MAX(CASE WHEN m.level > s.level THEN m.level ELSE s.level END) AS level
FROM "li'st levels" AS s
JOIN (SELECT DISTINCT class_id FROM "raised; 1" AS r) AS c ON c.class_id = s.class_id
LEFT JOIN "li'st nodes" AS n ON n.item_id = s.item_id AND n.level >= s.level
LEFT JOIN (
  SELECT DISTINCT
    g.class_id,
    g.raised_id AS label_id,
    g.level + 1 AS level
  FROM (
    SELECT DISTINCT
      l.class_id,
      n.label_id,
      l.level,
      COALESCE(u.label_id, n.label_id) AS raised_id
    FROM "li'st levels" AS l
    JOIN "li'st nodes" AS n ON n.item_id = l.item_id AND n.level = l.level
    LEFT JOIN "li'st nodes" AS u ON u.item_id = l.item_id AND u.level = l.level + 1
  ) AS g
  JOIN "raised; 1" AS r ON r.class_id = g.class_id AND r.label_id = g.label_id
) AS m ON m.class_id = s.class_id AND m.label_id = n.label_id
GROUP BY s.class_id, s.item_id
UNION ALL
SELECT
  s.class_id,
  s.item_id,
  s.level
FROM "li'st levels" AS s
WHERE NOT EXISTS (SELECT 1 FROM "raised; 1" AS r WHERE r.class_id = s.class_id)
