-- duckdb, postgres
CREATE TEMP TABLE "complete SELECT" AS
SELECT
  value,
  "level_1",
  COUNT(*) OVER (PARTITION BY "level_1") AS "leaves_1",
  "level_2",
  COUNT(*) OVER (PARTITION BY "level_2") AS "leaves_2"
FROM (
  SELECT
    value,
    "level_1",
    "level_2"
  FROM "paths SELECT" AS p
  UNION ALL
  SELECT
    NULL, NULL, CASE WHEN MIN("r"."level_2") = MAX("r"."level_2") THEN MAX("r"."level_2") END
  FROM "paths SELECT" AS r
  HAVING SUM(CASE WHEN r.value IS NULL THEN 1 ELSE 0 END) = 0
    AND (SELECT COUNT(*) FROM "domain SELECT" AS d WHERE d.value IS NULL) > 0
) AS u

-- spark
CREATE TEMP VIEW `complete SELECT` AS
SELECT
  value,
  `level_1`,
  COUNT(*) OVER (PARTITION BY `level_1`) AS `leaves_1`,
  `level_2`,
  COUNT(*) OVER (PARTITION BY `level_2`) AS `leaves_2`
FROM (
  SELECT
    value,
    `level_1`,
    `level_2`
  FROM `paths SELECT` AS p
  UNION ALL
  SELECT
    NULL, NULL, CASE WHEN MIN(`r`.`level_2`) = MAX(`r`.`level_2`) THEN MAX(`r`.`level_2`) END
  FROM `paths SELECT` AS r
  HAVING SUM(CASE WHEN r.value IS NULL THEN 1 ELSE 0 END) = 0
    AND (SELECT COUNT(*) FROM `domain SELECT` AS d WHERE d.value IS NULL) > 0
) AS u
