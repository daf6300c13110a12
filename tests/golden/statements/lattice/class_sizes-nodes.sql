-- duckdb
SELECT
  "row_count" AS class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows,
  node
FROM (
SELECT
    p0.*
  FROM (
    SELECT
      v.node,
      f."key_1" & v."mask_1" AS "key_1",
      f."key_2" & v."mask_2" AS "key_2",
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 0" AS f
    CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT)), (2, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
    GROUP BY 1, 2, 3
  ) AS "p0"
) AS c
WHERE "row_count" >= 2
GROUP BY node, "row_count"
ORDER BY node, class_size

-- postgres
SELECT
  "row_count" AS class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows,
  node
FROM (
SELECT
    p0.*
  FROM (
    SELECT
      v.node,
      f."key_1" & v."mask_1" AS "key_1",
      f."key_2" & v."mask_2" AS "key_2",
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 0" AS f
    CROSS JOIN (VALUES (0, CAST($1 AS BIGINT), CAST($2 AS BIGINT)), (1, CAST($3 AS BIGINT), CAST($4 AS BIGINT)), (2, CAST($5 AS BIGINT), CAST($6 AS BIGINT))) AS v (node, "mask_1", "mask_2")
    GROUP BY 1, 2, 3
  ) AS "p0"
) AS c
WHERE "row_count" >= 2
GROUP BY node, "row_count"
ORDER BY node, class_size

-- spark
SELECT
  `row_count` AS class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows,
  node
FROM (
SELECT
    p0.*
  FROM (
    SELECT
      v.node,
      f.`key_1` & v.`mask_1` AS `key_1`,
      f.`key_2` & v.`mask_2` AS `key_2`,
      CAST(SUM(`f`.`row_count`) AS BIGINT) AS row_count
    FROM `frequency "set" 0` AS f
    LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(2, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
    GROUP BY 1, 2, 3
  ) AS `p0`
) AS c
WHERE `row_count` >= 2
GROUP BY node, `row_count`
ORDER BY node, class_size
