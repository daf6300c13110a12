-- duckdb
CREATE TEMP TABLE "weigh'ed places of age
of 👩" AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || decode(encode(CAST("t"."age
of 👩" AS VARCHAR))), '') AS label,
    "t"."own 'age
of 👩'" AS value
  FROM "weigh'ed source" AS t
) AS c
GROUP BY label, value

-- postgres
CREATE TEMP TABLE "weigh'ed places of age
of 👩" AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || (CAST("t"."age
of 👩" AS TEXT) COLLATE "default"), '') AS label,
    "t"."own 'age
of 👩'" AS value
  FROM "weigh'ed source" AS t
) AS c
GROUP BY label, value

-- spark
CREATE TEMP VIEW `weigh'ed places of age
of 👩` AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || (CAST(`t`.`age
of 👩` AS STRING) COLLATE UTF8_BINARY), '') AS label,
    `t`.`own 'age
of 👩'` AS value
  FROM `weigh'ed source` AS t
) AS c
GROUP BY label, value
