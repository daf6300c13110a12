-- duckdb, postgres
CREATE TEMP TABLE "complete age
of 👩" AS
SELECT
  value,
  "level_1",
  COUNT(*) OVER (PARTITION BY "level_1") AS "leaves_1",
  "level_2",
  COUNT(*) OVER (PARTITION BY "level_2") AS "leaves_2",
  "level_3",
  COUNT(*) OVER (PARTITION BY "level_3") AS "leaves_3",
  "low_1",
  "high_1",
  "low_2",
  "high_2"
FROM (
  SELECT
    value,
    "level_1",
    "level_2",
    "level_3",
    "low_1",
    "high_1",
    "low_2",
    "high_2"
  FROM "paths age
of 👩" AS p
  WHERE "p"."level_3" IS NOT NULL
) AS u

-- spark
CREATE TEMP VIEW `complete age
of 👩` AS
SELECT
  value,
  `level_1`,
  COUNT(*) OVER (PARTITION BY `level_1`) AS `leaves_1`,
  `level_2`,
  COUNT(*) OVER (PARTITION BY `level_2`) AS `leaves_2`,
  `level_3`,
  COUNT(*) OVER (PARTITION BY `level_3`) AS `leaves_3`,
  `low_1`,
  `high_1`,
  `low_2`,
  `high_2`
FROM (
  SELECT
    value,
    `level_1`,
    `level_2`,
    `level_3`,
    `low_1`,
    `high_1`,
    `low_2`,
    `high_2`
  FROM `paths age
of 👩` AS p
  WHERE `p`.`level_3` IS NOT NULL
) AS u
