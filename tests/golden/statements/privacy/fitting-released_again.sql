-- duckdb, postgres
CREATE TEMP TABLE "step 2" AS
SELECT t.*
FROM "step 1" AS t
WHERE (t."class_0", t."class_1", t."class_2", t."class_3") IN (
  SELECT
    "class_0" AS "class_0",
    "class_1" AS "class_1",
    "class_2" AS "class_2",
    "class_3" AS "class_3"
  FROM "step 1" AS b
  GROUP BY 1, 2, 3, 4
  HAVING
    COUNT(DISTINCT "entity") >= 2
) AND (t."class_0", t."class_3") IN (
  SELECT
    "class_0" AS "class_0",
    "class_3" AS "class_3"
  FROM "step 1" AS b
  GROUP BY 1, 2
  HAVING
    COUNT(DISTINCT "spread_0") >= 2
) AND (t."class_1") IN (
  SELECT
    "class_1" AS "class_1"
  FROM "step 1" AS b
  GROUP BY 1
  HAVING
    COUNT(DISTINCT "entity") >= 3
)

-- spark
CREATE TEMP VIEW `step 2` AS
SELECT t.*
FROM `step 1` AS t
WHERE (t.`class_0`, t.`class_1`, t.`class_2`, t.`class_3`) IN (
  SELECT
    `class_0` AS `class_0`,
    `class_1` AS `class_1`,
    `class_2` AS `class_2`,
    `class_3` AS `class_3`
  FROM `step 1` AS b
  GROUP BY 1, 2, 3, 4
  HAVING
    COUNT(DISTINCT `entity`) >= 2
) AND (t.`class_0`, t.`class_3`) IN (
  SELECT
    `class_0` AS `class_0`,
    `class_3` AS `class_3`
  FROM `step 1` AS b
  GROUP BY 1, 2
  HAVING
    COUNT(DISTINCT `spread_0`) >= 2
) AND (t.`class_1`) IN (
  SELECT
    `class_1` AS `class_1`
  FROM `step 1` AS b
  GROUP BY 1
  HAVING
    COUNT(DISTINCT `entity`) >= 3
)
