-- duckdb
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM("short_1") AS "failing_1",
  SUM("short_1" * row_count) AS "suppressed_1",
  SUM("short_2") AS "failing_2",
  SUM("short_2" * row_count) AS "suppressed_2"
FROM (
  SELECT
    node,
    CASE WHEN "row_count" >= 2 THEN 0 ELSE 1 END AS "short_1",
    CASE WHEN "row_count" >= 0 THEN 0 ELSE 1 END AS "short_2",
    row_count
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
) AS b
GROUP BY node

-- postgres
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM("short_1") AS "failing_1",
  SUM("short_1" * row_count) AS "suppressed_1",
  SUM("short_2") AS "failing_2",
  SUM("short_2" * row_count) AS "suppressed_2"
FROM (
  SELECT
    node,
    CASE WHEN "row_count" >= 2 THEN 0 ELSE 1 END AS "short_1",
    CASE WHEN "row_count" >= 0 THEN 0 ELSE 1 END AS "short_2",
    row_count
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
) AS b
GROUP BY node

-- spark
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(`short_1`) AS `failing_1`,
  SUM(`short_1` * row_count) AS `suppressed_1`,
  SUM(`short_2`) AS `failing_2`,
  SUM(`short_2` * row_count) AS `suppressed_2`
FROM (
  SELECT
    node,
    CASE WHEN `row_count` >= 2 THEN 0 ELSE 1 END AS `short_1`,
    CASE WHEN `row_count` >= 0 THEN 0 ELSE 1 END AS `short_2`,
    row_count
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
) AS b
GROUP BY node
