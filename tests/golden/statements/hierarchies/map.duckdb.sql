-- map
CREATE TEMP TABLE "map se""x" AS
SELECT
  d.value,
  d.row_count,
  DENSE_RANK() OVER (PARTITION BY "level_1" ORDER BY d.value NULLS LAST) - 1 AS "ordinal_0",
  "level_1",
  "leaves_1"
FROM "domain se""x" AS d
JOIN "complete se""x" AS p
  ON CAST("d"."value" AS VARCHAR) IS NOT DISTINCT FROM "p"."value"
