-- duckdb, postgres
SELECT
  0 AS number,
  MIN(s.size) AS smallest
FROM (
  SELECT COUNT(DISTINCT "t"."entity") AS size
  FROM (
    SELECT
      CASE WHEN c."part_0" BETWEEN 0 AND 2 THEN 0 ELSE c."part_0" END AS "part_0",
      c."part_2",
      c."entity",
      c.row_count
    FROM "fewer-people" AS c
  ) AS t
  GROUP BY "t"."part_0", "t"."part_2"
) AS s
UNION ALL
SELECT
  1 AS number,
  MIN(s.size) AS smallest
FROM (
  SELECT COUNT(DISTINCT "t"."entity") AS size
  FROM (
    SELECT
      CASE WHEN c."part_2" BETWEEN 0 AND 1 THEN 0 ELSE c."part_2" END AS "part_2",
      c."entity",
      c.row_count
    FROM "fewer-people" AS c
  ) AS t
  GROUP BY "t"."part_2"
) AS s

-- spark
SELECT
  0 AS number,
  MIN(s.size) AS smallest
FROM (
  SELECT COUNT(DISTINCT `t`.`entity`) AS size
  FROM (
    SELECT
      CASE WHEN c.`part_0` BETWEEN 0 AND 2 THEN 0 ELSE c.`part_0` END AS `part_0`,
      c.`part_2`,
      c.`entity`,
      c.row_count
    FROM `fewer-people` AS c
  ) AS t
  GROUP BY `t`.`part_0`, `t`.`part_2`
) AS s
UNION ALL
SELECT
  1 AS number,
  MIN(s.size) AS smallest
FROM (
  SELECT COUNT(DISTINCT `t`.`entity`) AS size
  FROM (
    SELECT
      CASE WHEN c.`part_2` BETWEEN 0 AND 1 THEN 0 ELSE c.`part_2` END AS `part_2`,
      c.`entity`,
      c.row_count
    FROM `fewer-people` AS c
  ) AS t
  GROUP BY `t`.`part_2`
) AS s
