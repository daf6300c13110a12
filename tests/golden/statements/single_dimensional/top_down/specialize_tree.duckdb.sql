-- specialize_tree
CREATE TEMP TABLE "cu't 2" AS
SELECT
  c.place,
  CASE WHEN c.part IN (-2) THEN c.child ELSE c.part END AS part,
  CASE
    WHEN c.part NOT IN (-2) THEN c.child
    WHEN l."node_1" = c.child THEN l."node_0"
    WHEN l."node_2" = c.child THEN l."node_1"
  END AS child
FROM "cu't 0" AS c
JOIN "up of; --" AS l ON l.place = c.place
