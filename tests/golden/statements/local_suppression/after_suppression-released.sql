-- duckdb, postgres
CREATE TEMP TABLE "suppressing 4" AS
SELECT
  COALESCE(o.suppressed, 0) AS suppressed,
  c."class_0"
    - (c."class_0" & CASE WHEN (o.suppressed & 1) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS "shown_class_0",
  c."class_1"
    - (c."class_1" & CASE WHEN (o.suppressed & 2) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS "shown_class_1",
  c."class_2"
    - (c."class_2" & CASE WHEN (o.suppressed & 4) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS "shown_class_2",
  c."class_3"
    - (c."class_3" & CASE WHEN (o.suppressed & 8) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS "shown_class_3",
  c."class_0",
  c."class_1",
  c."class_2",
  c."class_3",
  c."spread_0",
  c."spread_1",
  c."entity",
  c."row_count"
FROM "suppressing 0" AS c
LEFT JOIN (
  SELECT
    "class_0",
    "class_1",
    "class_2",
    "class_3",
    MAX(suppressed) AS suppressed
  FROM "suppressing 3" AS t
  GROUP BY "class_0", "class_1", "class_2", "class_3"
) AS o
  ON o."class_0" = c."class_0" AND o."class_1" = c."class_1" AND o."class_2" = c."class_2" AND o."class_3" = c."class_3"

-- spark
CREATE TEMP VIEW `suppressing 4` AS
SELECT
  COALESCE(o.suppressed, 0) AS suppressed,
  c.`class_0`
    - (c.`class_0` & CASE WHEN (o.suppressed & 1) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS `shown_class_0`,
  c.`class_1`
    - (c.`class_1` & CASE WHEN (o.suppressed & 2) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS `shown_class_1`,
  c.`class_2`
    - (c.`class_2` & CASE WHEN (o.suppressed & 4) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS `shown_class_2`,
  c.`class_3`
    - (c.`class_3` & CASE WHEN (o.suppressed & 8) <> 0 THEN CAST(-1 AS BIGINT) ELSE 0 END) AS `shown_class_3`,
  c.`class_0`,
  c.`class_1`,
  c.`class_2`,
  c.`class_3`,
  c.`spread_0`,
  c.`spread_1`,
  c.`entity`,
  c.`row_count`
FROM `suppressing 0` AS c
LEFT JOIN (
  SELECT
    `class_0`,
    `class_1`,
    `class_2`,
    `class_3`,
    MAX(suppressed) AS suppressed
  FROM `suppressing 3` AS t
  GROUP BY `class_0`, `class_1`, `class_2`, `class_3`
) AS o
  ON o.`class_0` = c.`class_0` AND o.`class_1` = c.`class_1` AND o.`class_2` = c.`class_2` AND o.`class_3` = c.`class_3`
