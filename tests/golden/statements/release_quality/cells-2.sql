-- duckdb
CREATE TEMP TABLE "weigh'ed age
of 👩" AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    CONCAT(COALESCE('v' || decode(encode(CAST("t"."zip; --" AS VARCHAR))), ''), '|', COALESCE('v' || decode(encode(CAST("t"."age
of 👩" AS VARCHAR))), '')) AS label,
    "t"."own 'age
of 👩'" AS value
  FROM "weigh'ed source" AS t
) AS c
GROUP BY label, value

-- postgres
CREATE TEMP TABLE "weigh'ed age
of 👩" AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    CONCAT(COALESCE('v' || (CAST("t"."zip; --" AS TEXT) COLLATE "default"), ''), '|', COALESCE('v' || (CAST("t"."age
of 👩" AS TEXT) COLLATE "default"), '')) AS label,
    "t"."own 'age
of 👩'" AS value
  FROM "weigh'ed source" AS t
) AS c
GROUP BY label, value

-- spark
CREATE TEMP VIEW `weigh'ed age
of 👩` AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    CONCAT(COALESCE('v' || (CAST(`t`.`zip; --` AS STRING) COLLATE UTF8_BINARY), ''), '|', COALESCE('v' || (CAST(`t`.`age
of 👩` AS STRING) COLLATE UTF8_BINARY), '')) AS label,
    `t`.`own 'age
of 👩'` AS value
  FROM `weigh'ed source` AS t
) AS c
GROUP BY label, value
