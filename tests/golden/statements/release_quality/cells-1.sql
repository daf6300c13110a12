-- duckdb
CREATE TEMP TABLE "weigh'ed zip; --" AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || decode(encode(CAST("t"."zip; --" AS VARCHAR))), '') AS label,
    "t"."own 'zip; --'" AS value
  FROM "weigh'ed source" AS t
) AS c
GROUP BY label, value

-- postgres
CREATE TEMP TABLE "weigh'ed zip; --" AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || (CAST("t"."zip; --" AS TEXT) COLLATE "default"), '') AS label,
    "t"."own 'zip; --'" AS value
  FROM "weigh'ed source" AS t
) AS c
GROUP BY label, value

-- spark
CREATE TEMP VIEW `weigh'ed zip; --` AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || (CAST(`t`.`zip; --` AS STRING) COLLATE UTF8_BINARY), '') AS label,
    `t`.`own 'zip; --'` AS value
  FROM `weigh'ed source` AS t
) AS c
GROUP BY label, value
