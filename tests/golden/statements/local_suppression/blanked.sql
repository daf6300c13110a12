-- duckdb, postgres
CREATE TEMP TABLE "bla'nked" AS
SELECT
  "class_0",
  "class_1",
  "class_2",
  "class_3",
  CASE WHEN (MAX(blanked) & 1) <> 0 THEN 1 ELSE 1 END AS "level_0",
  CASE WHEN (MAX(blanked) & 2) <> 0 THEN 2 ELSE 1 END AS "level_1",
  CASE WHEN (MAX(blanked) & 4) <> 0 THEN 3 ELSE 2 END AS "level_2",
  CASE WHEN (MAX(blanked) & 8) <> 0 THEN 2 ELSE 2 END AS "level_3"
FROM "blanking 3" AS t
GROUP BY "class_0", "class_1", "class_2", "class_3"

-- spark
CREATE TEMP VIEW `bla'nked` AS
SELECT
  `class_0`,
  `class_1`,
  `class_2`,
  `class_3`,
  CASE WHEN (MAX(blanked) & 1) <> 0 THEN 1 ELSE 1 END AS `level_0`,
  CASE WHEN (MAX(blanked) & 2) <> 0 THEN 2 ELSE 1 END AS `level_1`,
  CASE WHEN (MAX(blanked) & 4) <> 0 THEN 3 ELSE 2 END AS `level_2`,
  CASE WHEN (MAX(blanked) & 8) <> 0 THEN 2 ELSE 2 END AS `level_3`
FROM `blanking 3` AS t
GROUP BY `class_0`, `class_1`, `class_2`, `class_3`
