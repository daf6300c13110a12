-- moved_cells
CREATE TEMP TABLE "bla'nked" AS
SELECT
  "class_0",
  "class_1",
  "class_2",
  "class_3",
  CASE WHEN (MAX(suppressed) & 1) <> 0 THEN 1 ELSE 1 END AS "level_0",
  CASE WHEN (MAX(suppressed) & 2) <> 0 THEN 2 ELSE 1 END AS "level_1",
  CASE WHEN (MAX(suppressed) & 4) <> 0 THEN 3 ELSE 2 END AS "level_2",
  CASE WHEN (MAX(suppressed) & 8) <> 0 THEN 2 ELSE 2 END AS "level_3"
FROM "suppressing 3" AS t
GROUP BY "class_0", "class_1", "class_2", "class_3"
