-- duckdb, postgres
CREATE TEMP TABLE "complete of many" AS
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
CREATE TEMP VIEW `complete of many` AS
SELECT
  u.value,
  `u`.`level_1`,
  `c1`.`leaves_1`,
  `u`.`level_2`,
  `c2`.`leaves_2`
FROM (
  SELECT
    value,
    `level_1`,
    `level_2`
  FROM `paths zip; --` AS p
  WHERE `p`.`level_2` IS NOT NULL
) AS u
JOIN (
  SELECT
    `level_1`,
    `level_2`,
    COUNT(*) AS `leaves_1`
  FROM (
  SELECT
    value,
    `level_1`,
    `level_2`
  FROM `paths zip; --` AS p
  WHERE `p`.`level_2` IS NOT NULL
  ) AS u
  GROUP BY `level_1`, `level_2`
) AS `c1` ON `u`.`level_1` IS NOT DISTINCT FROM `c1`.`level_1`
JOIN (
  SELECT
    `level_2`,
    COUNT(*) AS `leaves_2`
  FROM (
  SELECT
    value,
    `level_1`,
    `level_2`
  FROM `paths zip; --` AS p
  WHERE `p`.`level_2` IS NOT NULL
  ) AS u
  GROUP BY `level_2`
) AS `c2` ON `c1`.`level_2` IS NOT DISTINCT FROM `c2`.`level_2`
