-- duckdb
CREATE TEMP TABLE "parts by val'ues" AS
WITH asked AS (
  SELECT region, 0 AS axis, "width_0" AS width, 0 AS level
  FROM "regions by val'ues" AS r
  WHERE "width_0" > 0
    AND row_count >= 4
  UNION ALL
  SELECT region, 1 AS axis, CAST(1.5 AS DOUBLE) * "width_1" AS width, 0 AS level
  FROM "regions by val'ues" AS r
  WHERE "width_1" > 0
    AND row_count >= 4
  UNION ALL
  SELECT region, 2 AS axis, "width_2" AS width, "level_2" AS level
  FROM "regions by val'ues" AS r
  WHERE "width_2" > 0
    AND row_count >= 4
),
cells AS (
  SELECT
    a.region,
    a.axis,
    a.width,
    a.level,
    CAST(CASE a.axis
      WHEN 0 THEN "w"."place_0"
      WHEN 1 THEN "w"."place_1"
      WHEN 2 THEN "w"."place_2" & CASE a.level WHEN 1 THEN CAST(4035225266123964416 AS BIGINT) WHEN 2 THEN CAST(3458764513820540928 AS BIGINT) END
    END AS BIGINT) AS part,
    w."spread_0",
    w."spread_1",
    w."entity",
    w."place_0",
    w."place_1",
    w."place_2",
    w.row_count
  FROM "wor'king" AS w
  JOIN asked AS a ON a.region = w.region
)
SELECT
  p.*,
  "m0"."values_0",
  "m0"."first_values_0",
  "m0"."last_values_0",
  "m1"."values_1",
  "m1"."first_values_1",
  "m1"."last_values_1",
  "m2"."entities",
  "m2"."first_entities",
  "m2"."last_entities",
  "p0"."different_0",
  "p0"."first_0",
  "p0"."last_0",
  "p1"."different_1",
  "p1"."first_1",
  "p1"."last_1",
  "p2"."different_2",
  "p2"."first_2",
  "p2"."last_2"
FROM (
  SELECT region, axis, MAX(width) AS width, MAX(level) AS level, part, MIN("place_0") AS "low_0", MAX("place_0") AS "high_0", MIN("place_1") AS "low_1", MAX("place_1") AS "high_1", MIN("place_2") AS "low_2", MAX("place_2") AS "high_2", CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM cells AS c
  GROUP BY region, axis, part
) AS p
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT("spread_0") AS "values_0",
    COUNT(CASE WHEN part = earliest THEN "spread_0" END) AS "first_values_0",
    COUNT(CASE WHEN part = latest THEN "spread_0" END) AS "last_values_0"
  FROM (
    SELECT
      region,
      axis,
      part,
      "spread_0",
      MIN(part) OVER (PARTITION BY region, axis, "spread_0") AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, "spread_0") AS latest
    FROM (SELECT DISTINCT region, axis, part, "spread_0" FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS "m0"
  ON "m0".region = p.region AND "m0".axis = p.axis AND "m0".part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT("spread_1") AS "values_1",
    COUNT(CASE WHEN part = earliest THEN "spread_1" END) AS "first_values_1",
    COUNT(CASE WHEN part = latest THEN "spread_1" END) AS "last_values_1"
  FROM (
    SELECT
      region,
      axis,
      part,
      "spread_1",
      MIN(part) OVER (PARTITION BY region, axis, "spread_1") AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, "spread_1") AS latest
    FROM (SELECT DISTINCT region, axis, part, "spread_1" FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS "m1"
  ON "m1".region = p.region AND "m1".axis = p.axis AND "m1".part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT("entity") AS "entities",
    COUNT(CASE WHEN part = earliest THEN "entity" END) AS "first_entities",
    COUNT(CASE WHEN part = latest THEN "entity" END) AS "last_entities"
  FROM (
    SELECT
      region,
      axis,
      part,
      "entity",
      MIN(part) OVER (PARTITION BY region, axis, "entity") AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, "entity") AS latest
    FROM (SELECT DISTINCT region, axis, part, "entity" FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS "m2"
  ON "m2".region = p.region AND "m2".axis = p.axis AND "m2".part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT("place_0") AS "different_0",
    COUNT(CASE WHEN part = earliest THEN "place_0" END) AS "first_0",
    COUNT(CASE WHEN part = latest THEN "place_0" END) AS "last_0"
  FROM (
    SELECT
      region,
      axis,
      part,
      "place_0",
      MIN(part) OVER (PARTITION BY region, axis, "place_0") AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, "place_0") AS latest
    FROM (SELECT DISTINCT region, axis, part, "place_0" FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS "p0"
  ON "p0".region = p.region AND "p0".axis = p.axis AND "p0".part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT("place_1") AS "different_1",
    COUNT(CASE WHEN part = earliest THEN "place_1" END) AS "first_1",
    COUNT(CASE WHEN part = latest THEN "place_1" END) AS "last_1"
  FROM (
    SELECT
      region,
      axis,
      part,
      "place_1",
      MIN(part) OVER (PARTITION BY region, axis, "place_1") AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, "place_1") AS latest
    FROM (SELECT DISTINCT region, axis, part, "place_1" FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS "p1"
  ON "p1".region = p.region AND "p1".axis = p.axis AND "p1".part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT("place_2") AS "different_2",
    COUNT(CASE WHEN part = earliest THEN "place_2" END) AS "first_2",
    COUNT(CASE WHEN part = latest THEN "place_2" END) AS "last_2"
  FROM (
    SELECT
      region,
      axis,
      part,
      "place_2",
      MIN(part) OVER (PARTITION BY region, axis, "place_2") AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, "place_2") AS latest
    FROM (SELECT DISTINCT region, axis, part, "place_2" FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS "p2"
  ON "p2".region = p.region AND "p2".axis = p.axis AND "p2".part = p.part

-- postgres
CREATE TEMP TABLE "parts by val'ues" AS
WITH asked AS (
  SELECT region, 0 AS axis, "width_0" AS width, 0 AS level
  FROM "regions by val'ues" AS r
  WHERE "width_0" > 0
    AND row_count >= 4
  UNION ALL
  SELECT region, 1 AS axis, CAST(1.5 AS DOUBLE PRECISION) * "width_1" AS width, 0 AS level
  FROM "regions by val'ues" AS r
  WHERE "width_1" > 0
    AND row_count >= 4
  UNION ALL
  SELECT region, 2 AS axis, "width_2" AS width, "level_2" AS level
  FROM "regions by val'ues" AS r
  WHERE "width_2" > 0
    AND row_count >= 4
),
cells AS (
  SELECT
    a.region,
    a.axis,
    a.width,
    a.level,
    CAST(CASE a.axis
      WHEN 0 THEN "w"."place_0"
      WHEN 1 THEN "w"."place_1"
      WHEN 2 THEN "w"."place_2" & CASE a.level WHEN 1 THEN CAST(4035225266123964416 AS BIGINT) WHEN 2 THEN CAST(3458764513820540928 AS BIGINT) END
    END AS BIGINT) AS part,
    w."spread_0",
    w."spread_1",
    w."entity",
    w."place_0",
    w."place_1",
    w."place_2",
    w.row_count
  FROM "wor'king" AS w
  JOIN asked AS a ON a.region = w.region
)
SELECT
  p.*,
  "m0"."values_0",
  "m0"."first_values_0",
  "m0"."last_values_0",
  "m1"."values_1",
  "m1"."first_values_1",
  "m1"."last_values_1",
  "m2"."entities",
  "m2"."first_entities",
  "m2"."last_entities",
  "p0"."different_0",
  "p0"."first_0",
  "p0"."last_0",
  "p1"."different_1",
  "p1"."first_1",
  "p1"."last_1",
  "p2"."different_2",
  "p2"."first_2",
  "p2"."last_2"
FROM (
  SELECT region, axis, MAX(width) AS width, MAX(level) AS level, part, MIN("place_0") AS "low_0", MAX("place_0") AS "high_0", MIN("place_1") AS "low_1", MAX("place_1") AS "high_1", MIN("place_2") AS "low_2", MAX("place_2") AS "high_2", CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM cells AS c
  GROUP BY region, axis, part
) AS p
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT("spread_0") AS "values_0",
    COUNT(CASE WHEN part = earliest THEN "spread_0" END) AS "first_values_0",
    COUNT(CASE WHEN part = latest THEN "spread_0" END) AS "last_values_0"
  FROM (
    SELECT
      region,
      axis,
      part,
      "spread_0",
      MIN(part) OVER (PARTITION BY region, axis, "spread_0") AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, "spread_0") AS latest
    FROM (SELECT DISTINCT region, axis, part, "spread_0" FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS "m0"
  ON "m0".region = p.region AND "m0".axis = p.axis AND "m0".part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT("spread_1") AS "values_1",
    COUNT(CASE WHEN part = earliest THEN "spread_1" END) AS "first_values_1",
    COUNT(CASE WHEN part = latest THEN "spread_1" END) AS "last_values_1"
  FROM (
    SELECT
      region,
      axis,
      part,
      "spread_1",
      MIN(part) OVER (PARTITION BY region, axis, "spread_1") AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, "spread_1") AS latest
    FROM (SELECT DISTINCT region, axis, part, "spread_1" FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS "m1"
  ON "m1".region = p.region AND "m1".axis = p.axis AND "m1".part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT("entity") AS "entities",
    COUNT(CASE WHEN part = earliest THEN "entity" END) AS "first_entities",
    COUNT(CASE WHEN part = latest THEN "entity" END) AS "last_entities"
  FROM (
    SELECT
      region,
      axis,
      part,
      "entity",
      MIN(part) OVER (PARTITION BY region, axis, "entity") AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, "entity") AS latest
    FROM (SELECT DISTINCT region, axis, part, "entity" FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS "m2"
  ON "m2".region = p.region AND "m2".axis = p.axis AND "m2".part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT("place_0") AS "different_0",
    COUNT(CASE WHEN part = earliest THEN "place_0" END) AS "first_0",
    COUNT(CASE WHEN part = latest THEN "place_0" END) AS "last_0"
  FROM (
    SELECT
      region,
      axis,
      part,
      "place_0",
      MIN(part) OVER (PARTITION BY region, axis, "place_0") AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, "place_0") AS latest
    FROM (SELECT DISTINCT region, axis, part, "place_0" FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS "p0"
  ON "p0".region = p.region AND "p0".axis = p.axis AND "p0".part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT("place_1") AS "different_1",
    COUNT(CASE WHEN part = earliest THEN "place_1" END) AS "first_1",
    COUNT(CASE WHEN part = latest THEN "place_1" END) AS "last_1"
  FROM (
    SELECT
      region,
      axis,
      part,
      "place_1",
      MIN(part) OVER (PARTITION BY region, axis, "place_1") AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, "place_1") AS latest
    FROM (SELECT DISTINCT region, axis, part, "place_1" FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS "p1"
  ON "p1".region = p.region AND "p1".axis = p.axis AND "p1".part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT("place_2") AS "different_2",
    COUNT(CASE WHEN part = earliest THEN "place_2" END) AS "first_2",
    COUNT(CASE WHEN part = latest THEN "place_2" END) AS "last_2"
  FROM (
    SELECT
      region,
      axis,
      part,
      "place_2",
      MIN(part) OVER (PARTITION BY region, axis, "place_2") AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, "place_2") AS latest
    FROM (SELECT DISTINCT region, axis, part, "place_2" FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS "p2"
  ON "p2".region = p.region AND "p2".axis = p.axis AND "p2".part = p.part

-- spark
CREATE TEMP VIEW `parts by val'ues` AS
WITH asked AS (
  SELECT region, 0 AS axis, `width_0` AS width, 0 AS level
  FROM `regions by val'ues` AS r
  WHERE `width_0` > 0
    AND row_count >= 4
  UNION ALL
  SELECT region, 1 AS axis, CAST(1.5 AS DOUBLE) * `width_1` AS width, 0 AS level
  FROM `regions by val'ues` AS r
  WHERE `width_1` > 0
    AND row_count >= 4
  UNION ALL
  SELECT region, 2 AS axis, `width_2` AS width, `level_2` AS level
  FROM `regions by val'ues` AS r
  WHERE `width_2` > 0
    AND row_count >= 4
),
cells AS (
  SELECT
    a.region,
    a.axis,
    a.width,
    a.level,
    CAST(CASE a.axis
      WHEN 0 THEN `w`.`place_0`
      WHEN 1 THEN `w`.`place_1`
      WHEN 2 THEN `w`.`place_2` & CASE a.level WHEN 1 THEN CAST(4035225266123964416 AS BIGINT) WHEN 2 THEN CAST(3458764513820540928 AS BIGINT) END
    END AS BIGINT) AS part,
    w.`spread_0`,
    w.`spread_1`,
    w.`entity`,
    w.`place_0`,
    w.`place_1`,
    w.`place_2`,
    w.row_count
  FROM `wor'king` AS w
  JOIN asked AS a ON a.region = w.region
)
SELECT
  p.*,
  `m0`.`values_0`,
  `m0`.`first_values_0`,
  `m0`.`last_values_0`,
  `m1`.`values_1`,
  `m1`.`first_values_1`,
  `m1`.`last_values_1`,
  `m2`.`entities`,
  `m2`.`first_entities`,
  `m2`.`last_entities`,
  `p0`.`different_0`,
  `p0`.`first_0`,
  `p0`.`last_0`,
  `p1`.`different_1`,
  `p1`.`first_1`,
  `p1`.`last_1`,
  `p2`.`different_2`,
  `p2`.`first_2`,
  `p2`.`last_2`
FROM (
  SELECT region, axis, MAX(width) AS width, MAX(level) AS level, part, MIN(`place_0`) AS `low_0`, MAX(`place_0`) AS `high_0`, MIN(`place_1`) AS `low_1`, MAX(`place_1`) AS `high_1`, MIN(`place_2`) AS `low_2`, MAX(`place_2`) AS `high_2`, CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM cells AS c
  GROUP BY region, axis, part
) AS p
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT(`spread_0`) AS `values_0`,
    COUNT(CASE WHEN part = earliest THEN `spread_0` END) AS `first_values_0`,
    COUNT(CASE WHEN part = latest THEN `spread_0` END) AS `last_values_0`
  FROM (
    SELECT
      region,
      axis,
      part,
      `spread_0`,
      MIN(part) OVER (PARTITION BY region, axis, `spread_0`) AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, `spread_0`) AS latest
    FROM (SELECT DISTINCT region, axis, part, `spread_0` FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS `m0`
  ON `m0`.region = p.region AND `m0`.axis = p.axis AND `m0`.part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT(`spread_1`) AS `values_1`,
    COUNT(CASE WHEN part = earliest THEN `spread_1` END) AS `first_values_1`,
    COUNT(CASE WHEN part = latest THEN `spread_1` END) AS `last_values_1`
  FROM (
    SELECT
      region,
      axis,
      part,
      `spread_1`,
      MIN(part) OVER (PARTITION BY region, axis, `spread_1`) AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, `spread_1`) AS latest
    FROM (SELECT DISTINCT region, axis, part, `spread_1` FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS `m1`
  ON `m1`.region = p.region AND `m1`.axis = p.axis AND `m1`.part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT(`entity`) AS `entities`,
    COUNT(CASE WHEN part = earliest THEN `entity` END) AS `first_entities`,
    COUNT(CASE WHEN part = latest THEN `entity` END) AS `last_entities`
  FROM (
    SELECT
      region,
      axis,
      part,
      `entity`,
      MIN(part) OVER (PARTITION BY region, axis, `entity`) AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, `entity`) AS latest
    FROM (SELECT DISTINCT region, axis, part, `entity` FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS `m2`
  ON `m2`.region = p.region AND `m2`.axis = p.axis AND `m2`.part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT(`place_0`) AS `different_0`,
    COUNT(CASE WHEN part = earliest THEN `place_0` END) AS `first_0`,
    COUNT(CASE WHEN part = latest THEN `place_0` END) AS `last_0`
  FROM (
    SELECT
      region,
      axis,
      part,
      `place_0`,
      MIN(part) OVER (PARTITION BY region, axis, `place_0`) AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, `place_0`) AS latest
    FROM (SELECT DISTINCT region, axis, part, `place_0` FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS `p0`
  ON `p0`.region = p.region AND `p0`.axis = p.axis AND `p0`.part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT(`place_1`) AS `different_1`,
    COUNT(CASE WHEN part = earliest THEN `place_1` END) AS `first_1`,
    COUNT(CASE WHEN part = latest THEN `place_1` END) AS `last_1`
  FROM (
    SELECT
      region,
      axis,
      part,
      `place_1`,
      MIN(part) OVER (PARTITION BY region, axis, `place_1`) AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, `place_1`) AS latest
    FROM (SELECT DISTINCT region, axis, part, `place_1` FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS `p1`
  ON `p1`.region = p.region AND `p1`.axis = p.axis AND `p1`.part = p.part
JOIN (
  SELECT
    region,
    axis,
    part,
    COUNT(`place_2`) AS `different_2`,
    COUNT(CASE WHEN part = earliest THEN `place_2` END) AS `first_2`,
    COUNT(CASE WHEN part = latest THEN `place_2` END) AS `last_2`
  FROM (
    SELECT
      region,
      axis,
      part,
      `place_2`,
      MIN(part) OVER (PARTITION BY region, axis, `place_2`) AS earliest,
      MAX(part) OVER (PARTITION BY region, axis, `place_2`) AS latest
    FROM (SELECT DISTINCT region, axis, part, `place_2` FROM cells AS c) AS d
  ) AS e
  GROUP BY region, axis, part
) AS `p2`
  ON `p2`.region = p.region AND `p2`.axis = p.axis AND `p2`.part = p.part
