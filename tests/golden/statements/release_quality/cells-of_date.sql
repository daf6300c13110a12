-- duckdb
CREATE TEMP TABLE "weigh'ed places of vis.it" AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || decode(encode(CAST("t"."vis.it" AS VARCHAR))), '') AS label,
    "t"."vis.it" AS value
  FROM "weigh'ed source" AS t
) AS c
GROUP BY label, value

-- postgres
CREATE TEMP TABLE "weigh'ed places of vis.it" AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || (CAST("t"."vis.it" AS TEXT) COLLATE "default"), '') AS label,
    "t"."vis.it" AS value
  FROM "weigh'ed source" AS t
) AS c
GROUP BY label, value

-- spark
CREATE TEMP VIEW `weigh'ed places of vis.it` AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || (CAST(`t`.`vis.it` AS STRING) COLLATE UTF8_BINARY), '') AS label,
    `t`.`vis.it` AS value
  FROM `weigh'ed source` AS t
) AS c
GROUP BY label, value
