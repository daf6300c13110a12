-- line_nodes
CREATE TEMP TABLE "above the li'ne" AS
SELECT
  place,
  label,
  "level_1",
  "parted_1",
  COUNT(*) OVER (PARTITION BY "level_1") AS "leaves_1",
  COUNT(*) OVER () AS leaves
FROM (
  SELECT
    d.place,
    MIN(CAST("d"."value" AS VARCHAR)) AS label,
    MIN("p"."level_1") AS "level_1",
    CASE WHEN MIN("p"."level_1") = MAX("p"."level_1") THEN 0 ELSE 1 END AS "parted_1"
  FROM "line; 2" AS d
  LEFT JOIN "complete se""x" AS p
    ON "d"."value" IS NOT DISTINCT FROM "p"."value"  GROUP BY d.place
) AS m
