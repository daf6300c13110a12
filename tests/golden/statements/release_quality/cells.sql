-- duckdb
CREATE TEMP TABLE "weigh'ed se""x" AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || decode(encode(CAST("t"."se""x" AS VARCHAR))), '') AS label,
    "t"."own 'se""x'" AS value
  FROM "weigh'ed source" AS t
) AS c
GROUP BY label, value

-- postgres
CREATE TEMP TABLE "weigh'ed se""x" AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || (CAST("t"."se""x" AS TEXT) COLLATE "default"), '') AS label,
    "t"."own 'se""x'" AS value
  FROM "weigh'ed source" AS t
) AS c
GROUP BY label, value

-- spark
CREATE TEMP VIEW `weigh'ed se"x` AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || (CAST(`t`.`se"x` AS STRING) COLLATE UTF8_BINARY), '') AS label,
    `t`.`own 'se"x'` AS value
  FROM `weigh'ed source` AS t
) AS c
GROUP BY label, value
