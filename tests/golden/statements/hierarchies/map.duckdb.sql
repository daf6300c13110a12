-- map
CREATE TEMP TABLE "map se""x" AS
WITH valued AS (
  SELECT
    d.value,
    d.row_count,
    "p"."level_1",
    "p"."leaves_1"
  FROM "domain se""x" AS d
  JOIN "complete se""x" AS p
    ON CAST("d"."value" AS VARCHAR) IS NOT DISTINCT FROM "p"."value")
SELECT
  d.value,
  d.row_count,
  DENSE_RANK() OVER (PARTITION BY "d"."level_1" ORDER BY d.value NULLS LAST) - 1 AS "ordinal_0",
  "d"."level_1",
  "d"."leaves_1"
FROM valued AS d
