-- duckdb
CREATE TEMP TABLE "moved in or'der" AS
SELECT
  CASE WHEN CASE t.axis WHEN 0 THEN "w"."place_0" WHEN 1 THEN "w"."place_1" WHEN 2 THEN "w"."place_2" END < t.upper_low THEN t.lower_child ELSE t.upper_child END AS region,
  "w"."place_0",
  "w"."place_1",
  "w"."place_2",
  w.row_count
FROM "wor'king" AS w
JOIN (
  SELECT
    region,
    MIN(axis) AS axis,
    MAX(low) AS upper_low,
    MIN(CASE WHEN low < 0 AND row_count >= 4 THEN child END) AS lower_child,
    MAX(CASE WHEN low >= 0 AND row_count >= 4 THEN child END) AS upper_child
  FROM "branches by l'oss" AS b
  GROUP BY region
) AS t
  ON t.region = w.region
WHERE CASE WHEN CASE t.axis WHEN 0 THEN "w"."place_0" WHEN 1 THEN "w"."place_1" WHEN 2 THEN "w"."place_2" END < t.upper_low THEN t.lower_child ELSE t.upper_child END IS NOT NULL
ORDER BY region

-- postgres
CREATE TEMP TABLE "moved in or'der" AS
SELECT
  CASE WHEN CASE t.axis WHEN 0 THEN "w"."place_0" WHEN 1 THEN "w"."place_1" WHEN 2 THEN "w"."place_2" END < t.upper_low THEN t.lower_child ELSE t.upper_child END AS region,
  "w"."place_0",
  "w"."place_1",
  "w"."place_2",
  w.row_count
FROM "wor'king" AS w
JOIN (
  SELECT
    region,
    MIN(axis) AS axis,
    MAX(low) AS upper_low,
    MIN(CASE WHEN low < 0 AND row_count >= 4 THEN child END) AS lower_child,
    MAX(CASE WHEN low >= 0 AND row_count >= 4 THEN child END) AS upper_child
  FROM "branches by l'oss" AS b
  GROUP BY region
) AS t
  ON t.region = w.region
WHERE CASE WHEN CASE t.axis WHEN 0 THEN "w"."place_0" WHEN 1 THEN "w"."place_1" WHEN 2 THEN "w"."place_2" END < t.upper_low THEN t.lower_child ELSE t.upper_child END IS NOT NULL

-- spark
CREATE TEMP VIEW `moved in or'der` AS
SELECT
  CASE WHEN CASE t.axis WHEN 0 THEN `w`.`place_0` WHEN 1 THEN `w`.`place_1` WHEN 2 THEN `w`.`place_2` END < t.upper_low THEN t.lower_child ELSE t.upper_child END AS region,
  `w`.`place_0`,
  `w`.`place_1`,
  `w`.`place_2`,
  w.row_count
FROM `wor'king` AS w
JOIN (
  SELECT
    region,
    MIN(axis) AS axis,
    MAX(low) AS upper_low,
    MIN(CASE WHEN low < 0 AND row_count >= 4 THEN child END) AS lower_child,
    MAX(CASE WHEN low >= 0 AND row_count >= 4 THEN child END) AS upper_child
  FROM `branches by l'oss` AS b
  GROUP BY region
) AS t
  ON t.region = w.region
WHERE CASE WHEN CASE t.axis WHEN 0 THEN `w`.`place_0` WHEN 1 THEN `w`.`place_1` WHEN 2 THEN `w`.`place_2` END < t.upper_low THEN t.lower_child ELSE t.upper_child END IS NOT NULL
