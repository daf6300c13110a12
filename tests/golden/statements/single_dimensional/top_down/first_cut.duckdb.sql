-- first_cut
CREATE TEMP TABLE "cu't 0" AS
SELECT
  m.place,
  -2 AS part,
  0 AS child
FROM "counts of; --" AS m
GROUP BY m.place
