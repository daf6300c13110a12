CREATE TEMP VIEW `step 2` AS
SELECT t.*
FROM `step 1` AS t
JOIN (
  SELECT
    `class_0` AS `class_0`,
    `class_1` AS `class_1`,
    `class_2` AS `class_2`,
    `class_3` AS `class_3`
  FROM `step 1` AS b
  GROUP BY 1, 2, 3, 4
  HAVING
    COUNT(DISTINCT `entity`) >= 2
) AS `s1`
  ON t.`class_0` = `s1`.`class_0` AND t.`class_1` = `s1`.`class_1` AND t.`class_2` = `s1`.`class_2` AND t.`class_3` = `s1`.`class_3`
JOIN (
  SELECT
    `class_0` AS `class_0`,
    `class_3` AS `class_3`
  FROM `step 1` AS b
  GROUP BY 1, 2
  HAVING
    COUNT(DISTINCT `spread_0`) >= 2
) AS `s2`
  ON t.`class_0` = `s2`.`class_0` AND t.`class_3` = `s2`.`class_3`
JOIN (
  SELECT
    `class_1` AS `class_1`
  FROM `step 1` AS b
  GROUP BY 1
  HAVING
    COUNT(DISTINCT `entity`) >= 3
) AS `s3`
  ON t.`class_1` = `s3`.`class_1`
