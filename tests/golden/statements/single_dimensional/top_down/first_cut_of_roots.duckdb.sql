-- first_cut_of_roots
CREATE TEMP TABLE "cu't of roots" AS
SELECT
  l.place,
  -2 AS part,
  COALESCE(l."node_2", l."node_1", l."node_0") AS child
FROM "up of; --" AS l
