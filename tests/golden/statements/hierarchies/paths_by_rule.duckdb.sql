-- paths_by_rule
CREATE TEMP TABLE "paths zip; --" AS
SELECT
  value,
  CASE
    WHEN value IS NULL THEN NULL
    WHEN LENGTH(CAST("value" AS VARCHAR)) > 3 THEN NULL
    ELSE CONCAT(LEFT(CAST("value" AS VARCHAR), 2), '#')
  END AS "level_1",
  CASE
    WHEN LENGTH(CAST("value" AS VARCHAR)) > 3 THEN NULL
    ELSE '###'
  END AS "level_2"
FROM "domain zip; --" AS d
