-- labelled_items
CREATE TEMP TABLE "li'st items" AS
SELECT DISTINCT
  r.class_id,
  r.person_id,
  n.label_id
FROM "li'st rows" AS r
JOIN "li'st levels" AS l ON l.class_id = r.class_id AND l.item_id = r.item_id
JOIN "li'st nodes" AS n ON n.item_id = l.item_id AND n.level = l.level
