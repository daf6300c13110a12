-- ranked_leaves
CREATE TEMP TABLE "ranked lea'ves" AS
SELECT
  d.value,
  p."level_1",
  p."level_2",
  CAST(DENSE_RANK() OVER (ORDER BY p."level_2", p."level_1", d.value) - 1 AS INTEGER) AS place
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"
