-- first_levels
CREATE TEMP TABLE "li'st levels" AS
SELECT DISTINCT
  r.class_id,
  r.item_id,
  0 AS level
FROM "li'st rows" AS r
