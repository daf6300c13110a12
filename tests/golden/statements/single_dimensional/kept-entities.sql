-- duckdb, postgres
CREATE TEMP TABLE "kept of person's" AS
WITH parted AS (
  SELECT
    w.*,
    "s0"."part" AS "part_0",
    "s1"."part" AS "part_1"
  FROM "places of person's" AS w
  JOIN "spo'ts 0" AS "s0" ON "s0".place = w."place_0"
  JOIN "spo'ts 1" AS "s1" ON "s1".place = w."place_1"
)
SELECT
  p."place_0",
  p."place_1",
  p.row_count
FROM parted AS p
JOIN (
  SELECT "part_0", "part_1"
  FROM parted AS c
  GROUP BY "part_0", "part_1"
  HAVING COUNT(DISTINCT entity) >= 5
) AS f ON f."part_0" = p."part_0" AND f."part_1" = p."part_1"

-- spark
CREATE TEMP VIEW `kept of person's` AS
WITH parted AS (
  SELECT
    w.*,
    `s0`.`part` AS `part_0`,
    `s1`.`part` AS `part_1`
  FROM `places of person's` AS w
  JOIN `spo'ts 0` AS `s0` ON `s0`.place = w.`place_0`
  JOIN `spo'ts 1` AS `s1` ON `s1`.place = w.`place_1`
)
SELECT
  p.`place_0`,
  p.`place_1`,
  p.row_count
FROM parted AS p
JOIN (
  SELECT `part_0`, `part_1`
  FROM parted AS c
  GROUP BY `part_0`, `part_1`
  HAVING COUNT(DISTINCT entity) >= 5
) AS f ON f.`part_0` = p.`part_0` AND f.`part_1` = p.`part_1`
