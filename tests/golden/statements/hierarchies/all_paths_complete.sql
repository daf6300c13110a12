-- duckdb, postgres
CREATE TEMP TABLE "all complete's" AS
SELECT
  quasi,
  value,
  "level_1",
  COUNT(*) OVER (PARTITION BY quasi, "level_1") AS "leaves_1",
  "level_2",
  COUNT(*) OVER (PARTITION BY quasi, "level_2") AS "leaves_2"
FROM (
  SELECT
    quasi,
    value,
    "level_1",
    "level_2"
  FROM "all path's" AS p
  UNION ALL
  SELECT
    quasi,
    NULL,
    CASE WHEN quasi IN ('0') AND MIN("level_1") = MAX("level_1") THEN MAX("level_1") END,
    CASE WHEN quasi IN ('11') AND MIN("level_2") = MAX("level_2") THEN MAX("level_2") END
  FROM "all path's" AS r
  WHERE quasi IN ('0', '11')
  GROUP BY quasi
  HAVING SUM(CASE WHEN value IS NULL THEN 1 ELSE 0 END) = 0
) AS u

-- spark
CREATE TEMP VIEW `all complete's` AS
SELECT
  quasi,
  value,
  `level_1`,
  COUNT(*) OVER (PARTITION BY quasi, `level_1`) AS `leaves_1`,
  `level_2`,
  COUNT(*) OVER (PARTITION BY quasi, `level_2`) AS `leaves_2`
FROM (
  SELECT
    quasi,
    value,
    `level_1`,
    `level_2`
  FROM `all path's` AS p
  UNION ALL
  SELECT
    quasi,
    NULL,
    CASE WHEN quasi IN ('0') AND MIN(`level_1`) = MAX(`level_1`) THEN MAX(`level_1`) END,
    CASE WHEN quasi IN ('11') AND MIN(`level_2`) = MAX(`level_2`) THEN MAX(`level_2`) END
  FROM `all path's` AS r
  WHERE quasi IN ('0', '11')
  GROUP BY quasi
  HAVING SUM(CASE WHEN value IS NULL THEN 1 ELSE 0 END) = 0
) AS u
