-- nodes
CREATE TEMP TABLE "no'des" AS
SELECT
  0 AS level,
  place AS node,
  MIN(CAST("value" AS VARCHAR)) AS label,
  CAST(0 AS DOUBLE) AS share
FROM "tr'ee" AS a
GROUP BY place
UNION ALL
SELECT
  level,
  node,
  label,
  CASE WHEN leaves = 1 THEN 0 ELSE CAST("leaves" AS DOUBLE) / 4 END AS share
FROM (
  SELECT
    1 AS level,
    place & CAST(3458764513820540928 AS BIGINT) AS node,
    MAX("level_1") AS label,
    MAX("leaves_1") AS leaves
  FROM "tr'ee" AS a
  GROUP BY place & CAST(3458764513820540928 AS BIGINT)
) AS n
UNION ALL
SELECT
  level,
  node,
  label,
  CASE WHEN leaves = 1 THEN 0 ELSE CAST("leaves" AS DOUBLE) / 4 END AS share
FROM (
  SELECT
    2 AS level,
    place & CAST(0 AS BIGINT) AS node,
    MAX("level_2") AS label,
    MAX("leaves_2") AS leaves
  FROM "tr'ee" AS a
  GROUP BY place & CAST(0 AS BIGINT)
) AS n
