-- duckdb
CREATE TEMP TABLE "no'des from level 1" AS
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
  FROM "tr'ee of level 1" AS a
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
  FROM "tr'ee of level 1" AS a
  GROUP BY place & CAST(0 AS BIGINT)
) AS n

-- postgres
CREATE TEMP TABLE "no'des from level 1" AS
SELECT
  level,
  node,
  label,
  CASE WHEN leaves = 1 THEN 0 ELSE CAST("leaves" AS DOUBLE PRECISION) / 4 END AS share
FROM (
  SELECT
    1 AS level,
    place & CAST(3458764513820540928 AS BIGINT) AS node,
    MAX("level_1") AS label,
    MAX("leaves_1") AS leaves
  FROM "tr'ee of level 1" AS a
  GROUP BY place & CAST(3458764513820540928 AS BIGINT)
) AS n
UNION ALL
SELECT
  level,
  node,
  label,
  CASE WHEN leaves = 1 THEN 0 ELSE CAST("leaves" AS DOUBLE PRECISION) / 4 END AS share
FROM (
  SELECT
    2 AS level,
    place & CAST(0 AS BIGINT) AS node,
    MAX("level_2") AS label,
    MAX("leaves_2") AS leaves
  FROM "tr'ee of level 1" AS a
  GROUP BY place & CAST(0 AS BIGINT)
) AS n

-- spark
CREATE TEMP VIEW `no'des from level 1` AS
SELECT
  level,
  node,
  label,
  CASE WHEN leaves = 1 THEN 0 ELSE CAST(`leaves` AS DOUBLE) / 4 END AS share
FROM (
  SELECT
    1 AS level,
    place & CAST(3458764513820540928 AS BIGINT) AS node,
    MAX(`level_1`) AS label,
    MAX(`leaves_1`) AS leaves
  FROM `tr'ee of level 1` AS a
  GROUP BY place & CAST(3458764513820540928 AS BIGINT)
) AS n
UNION ALL
SELECT
  level,
  node,
  label,
  CASE WHEN leaves = 1 THEN 0 ELSE CAST(`leaves` AS DOUBLE) / 4 END AS share
FROM (
  SELECT
    2 AS level,
    place & CAST(0 AS BIGINT) AS node,
    MAX(`level_2`) AS label,
    MAX(`leaves_2`) AS leaves
  FROM `tr'ee of level 1` AS a
  GROUP BY place & CAST(0 AS BIGINT)
) AS n
