-- duckdb
CREATE TEMP TABLE "halves" AS
WITH asked AS (
  SELECT
    region,
    axis,
    widest AS width,
    CASE WHEN axis IS NULL THEN 0 WHEN axis = 2 THEN "level_2" ELSE 0 END AS level
  FROM "re'gions" AS r
  WHERE axis IS NOT NULL AND row_count >= 4
),
places AS (
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
    w."place_0",
    w."place_1",
    w."place_2",
    w."spread_0",
    w."spread_1",
    w."entity",
    w.row_count
  FROM "wor'king" AS w
  JOIN asked AS a ON a.region = w.region
),
ordered AS (
  SELECT
    o.*,
    CAST(SUM(row_count) OVER (PARTITION BY region, axis ORDER BY part, COALESCE("place_0", 0), COALESCE("place_1", 0), COALESCE("place_2", 0), COALESCE("spread_0", 0), COALESCE("spread_1", 0), encode(CAST("entity" AS VARCHAR)) ROWS UNBOUNDED PRECEDING) AS BIGINT) AS up_to,
    CAST(SUM(row_count) OVER (PARTITION BY region, axis) AS BIGINT) AS all_rows
  FROM places AS o
),
halved AS (
  SELECT
    o.*,
    up_to - row_count AS before,
    CASE WHEN level > 0 THEN all_rows ELSE CAST((all_rows + all_rows % 2) / 2 AS BIGINT) END AS half
  FROM ordered AS o
),
cells AS (
  SELECT
    region,
    axis,
    width,
    level,
    CASE WHEN level > 0 THEN part ELSE 0 END AS part,
    "place_0",
    "place_1",
    "place_2",
    "spread_0",
    "spread_1",
    "entity",
    LEAST(up_to, half) - before AS row_count
  FROM halved AS h
  WHERE before < half
  UNION ALL
  SELECT
    region,
    axis,
    width,
    level,
    1 AS part,
    "place_0",
    "place_1",
    "place_2",
    "spread_0",
    "spread_1",
    "entity",
    up_to - GREATEST(before, half) AS row_count
  FROM halved AS h
  WHERE up_to > half
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
  "m2"."last_entities"
FROM (
  SELECT region, axis, MAX(width) AS width, MAX(level) AS level, part, CAST(SUM(row_count) AS BIGINT) AS row_count
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

-- postgres
CREATE TEMP TABLE "halves" AS
WITH asked AS (
  SELECT
    region,
    axis,
    widest AS width,
    CASE WHEN axis IS NULL THEN 0 WHEN axis = 2 THEN "level_2" ELSE 0 END AS level
  FROM "re'gions" AS r
  WHERE axis IS NOT NULL AND row_count >= 4
),
places AS (
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
    w."place_0",
    w."place_1",
    w."place_2",
    w."spread_0",
    w."spread_1",
    w."entity",
    w.row_count
  FROM "wor'king" AS w
  JOIN asked AS a ON a.region = w.region
),
ordered AS (
  SELECT
    o.*,
    CAST(SUM(row_count) OVER (PARTITION BY region, axis ORDER BY part, COALESCE("place_0", 0), COALESCE("place_1", 0), COALESCE("place_2", 0), COALESCE("spread_0", 0), COALESCE("spread_1", 0), (CAST("entity" AS TEXT) COLLATE "C") ROWS UNBOUNDED PRECEDING) AS BIGINT) AS up_to,
    CAST(SUM(row_count) OVER (PARTITION BY region, axis) AS BIGINT) AS all_rows
  FROM places AS o
),
halved AS (
  SELECT
    o.*,
    up_to - row_count AS before,
    CASE WHEN level > 0 THEN all_rows ELSE CAST((all_rows + all_rows % 2) / 2 AS BIGINT) END AS half
  FROM ordered AS o
),
cells AS (
  SELECT
    region,
    axis,
    width,
    level,
    CASE WHEN level > 0 THEN part ELSE 0 END AS part,
    "place_0",
    "place_1",
    "place_2",
    "spread_0",
    "spread_1",
    "entity",
    LEAST(up_to, half) - before AS row_count
  FROM halved AS h
  WHERE before < half
  UNION ALL
  SELECT
    region,
    axis,
    width,
    level,
    1 AS part,
    "place_0",
    "place_1",
    "place_2",
    "spread_0",
    "spread_1",
    "entity",
    up_to - GREATEST(before, half) AS row_count
  FROM halved AS h
  WHERE up_to > half
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
  "m2"."last_entities"
FROM (
  SELECT region, axis, MAX(width) AS width, MAX(level) AS level, part, CAST(SUM(row_count) AS BIGINT) AS row_count
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

-- spark
CREATE TEMP VIEW `halves` AS
WITH asked AS (
  SELECT
    region,
    axis,
    widest AS width,
    CASE WHEN axis IS NULL THEN 0 WHEN axis = 2 THEN `level_2` ELSE 0 END AS level
  FROM `re'gions` AS r
  WHERE axis IS NOT NULL AND row_count >= 4
),
places AS (
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
    w.`place_0`,
    w.`place_1`,
    w.`place_2`,
    w.`spread_0`,
    w.`spread_1`,
    w.`entity`,
    w.row_count
  FROM `wor'king` AS w
  JOIN asked AS a ON a.region = w.region
),
ordered AS (
  SELECT
    o.*,
    CAST(SUM(row_count) OVER (PARTITION BY region, axis ORDER BY part, COALESCE(`place_0`, 0), COALESCE(`place_1`, 0), COALESCE(`place_2`, 0), COALESCE(`spread_0`, 0), COALESCE(`spread_1`, 0), CAST(CAST(`entity` AS STRING) AS BINARY) ROWS UNBOUNDED PRECEDING) AS BIGINT) AS up_to,
    CAST(SUM(row_count) OVER (PARTITION BY region, axis) AS BIGINT) AS all_rows
  FROM places AS o
),
halved AS (
  SELECT
    o.*,
    up_to - row_count AS before,
    CASE WHEN level > 0 THEN all_rows ELSE CAST((all_rows + all_rows % 2) / 2 AS BIGINT) END AS half
  FROM ordered AS o
),
cells AS (
  SELECT
    region,
    axis,
    width,
    level,
    CASE WHEN level > 0 THEN part ELSE 0 END AS part,
    `place_0`,
    `place_1`,
    `place_2`,
    `spread_0`,
    `spread_1`,
    `entity`,
    LEAST(up_to, half) - before AS row_count
  FROM halved AS h
  WHERE before < half
  UNION ALL
  SELECT
    region,
    axis,
    width,
    level,
    1 AS part,
    `place_0`,
    `place_1`,
    `place_2`,
    `spread_0`,
    `spread_1`,
    `entity`,
    up_to - GREATEST(before, half) AS row_count
  FROM halved AS h
  WHERE up_to > half
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
  `m2`.`last_entities`
FROM (
  SELECT region, axis, MAX(width) AS width, MAX(level) AS level, part, CAST(SUM(row_count) AS BIGINT) AS row_count
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
