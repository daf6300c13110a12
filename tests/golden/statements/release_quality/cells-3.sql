-- duckdb
CREATE TEMP TABLE "weigh'ed SELECT" AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || decode(encode(CAST("t"."SELECT" AS VARCHAR))), '') AS label,
    "t"."own 'SELECT'" AS value
  FROM "weigh'ed source" AS t
) AS c
GROUP BY label, value

-- postgres
CREATE TEMP TABLE "weigh'ed SELECT" AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || (CAST("t"."SELECT" AS TEXT) COLLATE "default"), '') AS label,
    "t"."own 'SELECT'" AS value
  FROM "weigh'ed source" AS t
) AS c
GROUP BY label, value

-- spark
CREATE TEMP VIEW `weigh'ed SELECT` AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || (CAST(`t`.`SELECT` AS STRING) COLLATE UTF8_BINARY), '') AS label,
    `t`.`own 'SELECT'` AS value
  FROM `weigh'ed source` AS t
) AS c
GROUP BY label, value
