-- duckdb, postgres
CREATE TEMP TABLE "left at last" AS
SELECT t.*
FROM "layer 2" AS t
JOIN (
  SELECT
    "class_0" AS "class_0",
    "class_1_2" AS "class_1_2",
    "class_2_3" AS "class_2_3",
    "class_3" AS "class_3"
  FROM "layer 2" AS b
  GROUP BY 1, 2, 3, 4
  HAVING NOT (
    COUNT(DISTINCT "entity") >= 2 AND
    COUNT(DISTINCT "spread_0") >= 2 AND
    COUNT(DISTINCT "spread_1")
      + MAX(CASE WHEN "spread_1" IS NULL THEN 1 ELSE 0 END) >= 1
  )
) AS s
  ON t."class_0" = s."class_0" AND t."class_1_2" = s."class_1_2" AND t."class_2_3" = s."class_2_3" AND t."class_3" = s."class_3"

-- spark
CREATE TEMP VIEW `left at last` AS
SELECT t.*
FROM `layer 2` AS t
JOIN (
  SELECT
    `class_0` AS `class_0`,
    `class_1_2` AS `class_1_2`,
    `class_2_3` AS `class_2_3`,
    `class_3` AS `class_3`
  FROM `layer 2` AS b
  GROUP BY 1, 2, 3, 4
  HAVING NOT (
    COUNT(DISTINCT `entity`) >= 2 AND
    COUNT(DISTINCT `spread_0`) >= 2 AND
    COUNT(DISTINCT `spread_1`)
      + MAX(CASE WHEN `spread_1` IS NULL THEN 1 ELSE 0 END) >= 1
  )
) AS s
  ON t.`class_0` = s.`class_0` AND t.`class_1_2` = s.`class_1_2` AND t.`class_2_3` = s.`class_2_3` AND t.`class_3` = s.`class_3`
