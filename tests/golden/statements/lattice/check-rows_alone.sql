-- duckdb
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "row_count" >= 2 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "row_count" >= 2 THEN 0 ELSE row_count END) AS suppressed
FROM (
SELECT
    p0.*
  FROM (
    SELECT
      0 AS node,
      f."key_1" & CAST(? AS BIGINT) AS "key_1",
      f."key_2" & CAST(? AS BIGINT) AS "key_2",
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 0" AS f
    GROUP BY 2, 3
  ) AS "p0"
) AS c
GROUP BY node

-- postgres
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "row_count" >= 2 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "row_count" >= 2 THEN 0 ELSE row_count END) AS suppressed
FROM (
SELECT
    p0.*
  FROM (
    SELECT
      0 AS node,
      f."key_1" & CAST($1 AS BIGINT) AS "key_1",
      f."key_2" & CAST($2 AS BIGINT) AS "key_2",
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 0" AS f
    GROUP BY 2, 3
  ) AS "p0"
) AS c
GROUP BY node

-- spark
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN `row_count` >= 2 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN `row_count` >= 2 THEN 0 ELSE row_count END) AS suppressed
FROM (
SELECT
    p0.*
  FROM (
    SELECT
      0 AS node,
      f.`key_1` & CAST(? AS BIGINT) AS `key_1`,
      f.`key_2` & CAST(? AS BIGINT) AS `key_2`,
      CAST(SUM(`f`.`row_count`) AS BIGINT) AS row_count
    FROM `frequency "set" 0` AS f
    GROUP BY 2, 3
  ) AS `p0`
) AS c
GROUP BY node
