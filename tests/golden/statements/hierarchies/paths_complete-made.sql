-- duckdb, postgres
CREATE TEMP TABLE "complete zip; --" AS
SELECT
  value,
  "level_1",
  COUNT(*) OVER (PARTITION BY "level_1") AS "leaves_1",
  "level_2",
  COUNT(*) OVER (PARTITION BY "level_2") AS "leaves_2"
FROM (
  SELECT
    value,
    "level_1",
    "level_2"
  FROM "paths zip; --" AS p
  WHERE "p"."level_2" IS NOT NULL
) AS u

-- spark
CREATE TEMP VIEW `complete zip; --` AS
SELECT
  value,
  `level_1`,
  COUNT(*) OVER (PARTITION BY `level_1`) AS `leaves_1`,
  `level_2`,
  COUNT(*) OVER (PARTITION BY `level_2`) AS `leaves_2`
FROM (
  SELECT
    value,
    `level_1`,
    `level_2`
  FROM `paths zip; --` AS p
  WHERE `p`.`level_2` IS NOT NULL
) AS u
