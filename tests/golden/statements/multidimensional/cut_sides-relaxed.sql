-- duckdb, postgres
CREATE TEMP TABLE "sid'es-relaxed" AS
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
    w.row_count
  FROM "wor'king" AS w
  JOIN asked AS a ON a.region = w.region
),
ordered AS (
  SELECT
    o.*,
    CAST(SUM(row_count) OVER (PARTITION BY region, axis ORDER BY part, COALESCE("place_0", 0), COALESCE("place_1", 0), COALESCE("place_2", 0), COALESCE("spread_0", 0), COALESCE("spread_1", 0) ROWS UNBOUNDED PRECEDING) AS BIGINT) AS up_to,
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
    up_to - GREATEST(before, half) AS row_count
  FROM halved AS h
  WHERE up_to > half
),
valued AS (
  SELECT region, axis, part, "spread_0", CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM cells AS c
  GROUP BY region, axis, part, "spread_0"
)
SELECT region, axis, CAST(0 AS BIGINT) AS part, CAST(part AS BIGINT) AS side, "spread_0", row_count
FROM valued AS v

-- spark
CREATE TEMP VIEW `sid'es-relaxed` AS
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
    w.row_count
  FROM `wor'king` AS w
  JOIN asked AS a ON a.region = w.region
),
ordered AS (
  SELECT
    o.*,
    CAST(SUM(row_count) OVER (PARTITION BY region, axis ORDER BY part, COALESCE(`place_0`, 0), COALESCE(`place_1`, 0), COALESCE(`place_2`, 0), COALESCE(`spread_0`, 0), COALESCE(`spread_1`, 0) ROWS UNBOUNDED PRECEDING) AS BIGINT) AS up_to,
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
    up_to - GREATEST(before, half) AS row_count
  FROM halved AS h
  WHERE up_to > half
),
valued AS (
  SELECT region, axis, part, `spread_0`, CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM cells AS c
  GROUP BY region, axis, part, `spread_0`
)
SELECT region, axis, CAST(0 AS BIGINT) AS part, CAST(part AS BIGINT) AS side, `spread_0`, row_count
FROM valued AS v
