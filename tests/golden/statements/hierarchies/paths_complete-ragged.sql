-- duckdb
CREATE TEMP TABLE "lifted" AS
SELECT
  value,
  "level_1",
  COUNT(*) OVER (PARTITION BY "level_1") AS "leaves_1",
  "level_2",
  COUNT(*) OVER (PARTITION BY "level_2") AS "leaves_2"
FROM (
  SELECT
    value,
    CASE labels
      WHEN 1 THEN "value"
      WHEN 2 THEN "level_1"
    END AS "level_1",
    CASE labels
      WHEN 1 THEN "level_1"
      WHEN 2 THEN "level_2"
    END AS "level_2"
  FROM (
    SELECT
      p.*,
      0 + CASE WHEN "level_1" IS NULL THEN 0 ELSE 1 END + CASE WHEN "level_2" IS NULL THEN 0 ELSE 1 END AS labels
    FROM "copied" AS p
  ) AS c
  UNION ALL
  SELECT
    NULL, NULL, CASE WHEN MIN(COALESCE("r"."level_2", "r"."level_1", CAST("r"."value" AS VARCHAR))) = MAX(COALESCE("r"."level_2", "r"."level_1", CAST("r"."value" AS VARCHAR))) THEN MAX(COALESCE("r"."level_2", "r"."level_1", CAST("r"."value" AS VARCHAR))) END
  FROM "copied" AS r
  HAVING SUM(CASE WHEN r.value IS NULL THEN 1 ELSE 0 END) = 0
    AND (SELECT COUNT(*) FROM "domain SELECT" AS d WHERE d.value IS NULL) > 0
) AS u

-- postgres
CREATE TEMP TABLE "lifted" AS
SELECT
  value,
  "level_1",
  COUNT(*) OVER (PARTITION BY "level_1") AS "leaves_1",
  "level_2",
  COUNT(*) OVER (PARTITION BY "level_2") AS "leaves_2"
FROM (
  SELECT
    value,
    CASE labels
      WHEN 1 THEN "value"
      WHEN 2 THEN "level_1"
    END AS "level_1",
    CASE labels
      WHEN 1 THEN "level_1"
      WHEN 2 THEN "level_2"
    END AS "level_2"
  FROM (
    SELECT
      p.*,
      0 + CASE WHEN "level_1" IS NULL THEN 0 ELSE 1 END + CASE WHEN "level_2" IS NULL THEN 0 ELSE 1 END AS labels
    FROM "copied" AS p
  ) AS c
  UNION ALL
  SELECT
    NULL, NULL, CASE WHEN MIN(COALESCE("r"."level_2", "r"."level_1", CAST("r"."value" AS TEXT))) = MAX(COALESCE("r"."level_2", "r"."level_1", CAST("r"."value" AS TEXT))) THEN MAX(COALESCE("r"."level_2", "r"."level_1", CAST("r"."value" AS TEXT))) END
  FROM "copied" AS r
  HAVING SUM(CASE WHEN r.value IS NULL THEN 1 ELSE 0 END) = 0
    AND (SELECT COUNT(*) FROM "domain SELECT" AS d WHERE d.value IS NULL) > 0
) AS u

-- spark
CREATE TEMP VIEW `lifted` AS
SELECT
  value,
  `level_1`,
  COUNT(*) OVER (PARTITION BY `level_1`) AS `leaves_1`,
  `level_2`,
  COUNT(*) OVER (PARTITION BY `level_2`) AS `leaves_2`
FROM (
  SELECT
    value,
    CASE labels
      WHEN 1 THEN `value`
      WHEN 2 THEN `level_1`
    END AS `level_1`,
    CASE labels
      WHEN 1 THEN `level_1`
      WHEN 2 THEN `level_2`
    END AS `level_2`
  FROM (
    SELECT
      p.*,
      0 + CASE WHEN `level_1` IS NULL THEN 0 ELSE 1 END + CASE WHEN `level_2` IS NULL THEN 0 ELSE 1 END AS labels
    FROM `copied` AS p
  ) AS c
  UNION ALL
  SELECT
    NULL, NULL, CASE WHEN MIN(COALESCE(`r`.`level_2`, `r`.`level_1`, CAST(`r`.`value` AS STRING))) = MAX(COALESCE(`r`.`level_2`, `r`.`level_1`, CAST(`r`.`value` AS STRING))) THEN MAX(COALESCE(`r`.`level_2`, `r`.`level_1`, CAST(`r`.`value` AS STRING))) END
  FROM `copied` AS r
  HAVING SUM(CASE WHEN r.value IS NULL THEN 1 ELSE 0 END) = 0
    AND (SELECT COUNT(*) FROM `domain SELECT` AS d WHERE d.value IS NULL) > 0
) AS u
