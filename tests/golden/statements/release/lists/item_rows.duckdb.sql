-- item_rows
CREATE TEMP TABLE "li'st rows" AS
SELECT DISTINCT
  c.class_id,
  c.person_id,
  n.item_id
FROM "li'st cells" AS c
JOIN "li'st numbers" AS n ON n.value = c.item
