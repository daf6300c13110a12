-- duckdb, postgres
CREATE TEMP TABLE "left out at last" AS
SELECT t.*
FROM "blanking 4" AS t
JOIN (
  SELECT
    "blanked" AS "blanked",
    "shown_class_0" AS "shown_class_0",
    "shown_class_1" AS "shown_class_1",
    "shown_class_2" AS "shown_class_2",
    "shown_class_3" AS "shown_class_3"
  FROM "blanking 4" AS b
  GROUP BY 1, 2, 3, 4, 5
  HAVING NOT (
    COUNT(DISTINCT "entity") >= 2 AND
    COUNT(DISTINCT "spread_0") >= 2 AND
    COUNT(DISTINCT "spread_1")
      + MAX(CASE WHEN "spread_1" IS NULL THEN 1 ELSE 0 END) >= 1
  )
) AS s
  ON t."blanked" = s."blanked" AND t."shown_class_0" = s."shown_class_0" AND t."shown_class_1" = s."shown_class_1" AND t."shown_class_2" = s."shown_class_2" AND t."shown_class_3" = s."shown_class_3"

-- spark
CREATE TEMP VIEW `left out at last` AS
SELECT t.*
FROM `blanking 4` AS t
JOIN (
  SELECT
    `blanked` AS `blanked`,
    `shown_class_0` AS `shown_class_0`,
    `shown_class_1` AS `shown_class_1`,
    `shown_class_2` AS `shown_class_2`,
    `shown_class_3` AS `shown_class_3`
  FROM `blanking 4` AS b
  GROUP BY 1, 2, 3, 4, 5
  HAVING NOT (
    COUNT(DISTINCT `entity`) >= 2 AND
    COUNT(DISTINCT `spread_0`) >= 2 AND
    COUNT(DISTINCT `spread_1`)
      + MAX(CASE WHEN `spread_1` IS NULL THEN 1 ELSE 0 END) >= 1
  )
) AS s
  ON t.`blanked` = s.`blanked` AND t.`shown_class_0` = s.`shown_class_0` AND t.`shown_class_1` = s.`shown_class_1` AND t.`shown_class_2` = s.`shown_class_2` AND t.`shown_class_3` = s.`shown_class_3`
