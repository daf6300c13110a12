-- duckdb, postgres
CREATE TEMP TABLE "blanking 4" AS
SELECT
  COALESCE(o.blanked, 0) AS "blanked",
  c."class_0"
    - (c."class_0" & CASE WHEN (o.blanked & 1) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS "shown_class_0",
  c."class_1"
    - (c."class_1" & CASE WHEN (o.blanked & 2) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS "shown_class_1",
  c."class_2"
    - (c."class_2" & CASE WHEN (o.blanked & 4) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS "shown_class_2",
  c."class_3"
    - (c."class_3" & CASE WHEN (o.blanked & 8) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS "shown_class_3",
  c."class_0",
  c."class_1",
  c."class_2",
  c."class_3",
  c."spread_0",
  c."spread_1",
  c."entity",
  c."row_count"
FROM "blanking 0" AS c
LEFT JOIN (
  SELECT
    "class_0",
    "class_1",
    "class_2",
    "class_3",
    MAX(blanked) AS blanked
  FROM "blanking 3" AS t
  GROUP BY "class_0", "class_1", "class_2", "class_3"
) AS o
  ON o."class_0" = c."class_0" AND o."class_1" = c."class_1" AND o."class_2" = c."class_2" AND o."class_3" = c."class_3"

-- spark
CREATE TEMP VIEW `blanking 4` AS
SELECT
  COALESCE(o.blanked, 0) AS `blanked`,
  c.`class_0`
    - (c.`class_0` & CASE WHEN (o.blanked & 1) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS `shown_class_0`,
  c.`class_1`
    - (c.`class_1` & CASE WHEN (o.blanked & 2) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS `shown_class_1`,
  c.`class_2`
    - (c.`class_2` & CASE WHEN (o.blanked & 4) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS `shown_class_2`,
  c.`class_3`
    - (c.`class_3` & CASE WHEN (o.blanked & 8) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS `shown_class_3`,
  c.`class_0`,
  c.`class_1`,
  c.`class_2`,
  c.`class_3`,
  c.`spread_0`,
  c.`spread_1`,
  c.`entity`,
  c.`row_count`
FROM `blanking 0` AS c
LEFT JOIN (
  SELECT
    `class_0`,
    `class_1`,
    `class_2`,
    `class_3`,
    MAX(blanked) AS blanked
  FROM `blanking 3` AS t
  GROUP BY `class_0`, `class_1`, `class_2`, `class_3`
) AS o
  ON o.`class_0` = c.`class_0` AND o.`class_1` = c.`class_1` AND o.`class_2` = c.`class_2` AND o.`class_3` = c.`class_3`
