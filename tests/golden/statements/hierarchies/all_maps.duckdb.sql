-- all_maps
CREATE TEMP TABLE "all map's" AS
SELECT
  d.quasi,
  "d"."value_0",
  "d"."value_1",
  "d"."value_2",
  d.row_count,
  DENSE_RANK() OVER (PARTITION BY d.quasi, "level_1" ORDER BY "d"."value_0" NULLS LAST, "d"."value_1" NULLS LAST, "d"."value_2" NULLS LAST) - 1 AS "ordinal_0",
  "level_1",
  "leaves_1",
  DENSE_RANK() OVER (PARTITION BY d.quasi, "level_2" ORDER BY "level_1" NULLS LAST) - 1 AS "ordinal_1",
  "level_2",
  "leaves_2",
  DENSE_RANK() OVER (PARTITION BY d.quasi ORDER BY "level_2" NULLS LAST) - 1 AS "ordinal_2"
FROM "all domain's" AS d
JOIN "all complete's" AS p
  ON d.quasi = p.quasi AND "d"."entry" IS NOT DISTINCT FROM "p"."value"
