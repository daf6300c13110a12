-- duckdb, postgres
CREATE TEMP TABLE "linked" AS
SELECT
  "c0".part AS "part_0",
  "c0".child AS "child_0",
  "c1".part AS "part_1",
  "c1".child AS "child_1",
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM "tup;les" AS p
JOIN "cu't 2" AS "c0" ON "c0".place = p."place_0"
JOIN "cu't 3" AS "c1" ON "c1".place = p."place_1"
GROUP BY 1, 2, 3, 4

-- spark
CREATE TEMP VIEW `linked` AS
SELECT
  `c0`.part AS `part_0`,
  `c0`.child AS `child_0`,
  `c1`.part AS `part_1`,
  `c1`.child AS `child_1`,
  CAST(SUM(p.row_count) AS BIGINT) AS row_count
FROM `tup;les` AS p
JOIN `cu't 2` AS `c0` ON `c0`.place = p.`place_0`
JOIN `cu't 3` AS `c1` ON `c1`.place = p.`place_1`
GROUP BY 1, 2, 3, 4
