-- duckdb
SELECT
  "entities" AS class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows,
  node
FROM (
SELECT
    p0.*,
    "p1"."measure_1",
    "p2"."measure_2"
  FROM (
    SELECT
      0 AS node,
      f."key_1" & CAST(? AS BIGINT) AS "key_1",
      f."key_2" & CAST(? AS BIGINT) AS "key_2",
      COUNT(DISTINCT f.entity) AS entities,
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 2" AS f
    GROUP BY 2, 3
  ) AS "p0"
  JOIN (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COUNT("sensitive") AS "measure_1"
    FROM (
      SELECT
        0 AS node,
        f."key_1" & CAST(? AS BIGINT) AS "key_1",
        f."key_2" & CAST(? AS BIGINT) AS "key_2",
        f."sensitive_1" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      GROUP BY 2, 3, f."sensitive_1"
    ) AS t
    GROUP BY 1, 2, 3
  ) AS "p1"
    ON p0.node = "p1".node AND p0."key_1" = "p1"."key_1" AND p0."key_2" = "p1"."key_2"
  JOIN (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COUNT("sensitive") AS "measure_2"
    FROM (
      SELECT
        0 AS node,
        f."key_1" & CAST(? AS BIGINT) AS "key_1",
        f."key_2" & CAST(? AS BIGINT) AS "key_2",
        f."sensitive_2" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      GROUP BY 2, 3, f."sensitive_2"
    ) AS t
    GROUP BY 1, 2, 3
  ) AS "p2"
    ON p0.node = "p2".node AND p0."key_1" = "p2"."key_1" AND p0."key_2" = "p2"."key_2"
) AS c
WHERE "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1
GROUP BY node, "entities"
ORDER BY node, class_size

-- postgres
SELECT
  "entities" AS class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows,
  node
FROM (
SELECT
    p0.*,
    "p1"."measure_1",
    "p2"."measure_2"
  FROM (
    SELECT
      0 AS node,
      f."key_1" & CAST($1 AS BIGINT) AS "key_1",
      f."key_2" & CAST($2 AS BIGINT) AS "key_2",
      COUNT(DISTINCT f.entity) AS entities,
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 2" AS f
    GROUP BY 2, 3
  ) AS "p0"
  JOIN (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COUNT("sensitive") AS "measure_1"
    FROM (
      SELECT
        0 AS node,
        f."key_1" & CAST($3 AS BIGINT) AS "key_1",
        f."key_2" & CAST($4 AS BIGINT) AS "key_2",
        f."sensitive_1" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      GROUP BY 2, 3, f."sensitive_1"
    ) AS t
    GROUP BY 1, 2, 3
  ) AS "p1"
    ON p0.node = "p1".node AND p0."key_1" = "p1"."key_1" AND p0."key_2" = "p1"."key_2"
  JOIN (
    SELECT
      node,
      "key_1",
      "key_2",
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COUNT("sensitive") AS "measure_2"
    FROM (
      SELECT
        0 AS node,
        f."key_1" & CAST($5 AS BIGINT) AS "key_1",
        f."key_2" & CAST($6 AS BIGINT) AS "key_2",
        f."sensitive_2" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      GROUP BY 2, 3, f."sensitive_2"
    ) AS t
    GROUP BY 1, 2, 3
  ) AS "p2"
    ON p0.node = "p2".node AND p0."key_1" = "p2"."key_1" AND p0."key_2" = "p2"."key_2"
) AS c
WHERE "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1
GROUP BY node, "entities"
ORDER BY node, class_size

-- spark
SELECT
  `entities` AS class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows,
  node
FROM (
SELECT
    p0.*,
    `p1`.`measure_1`,
    `p2`.`measure_2`
  FROM (
    SELECT
      0 AS node,
      f.`key_1` & CAST(? AS BIGINT) AS `key_1`,
      f.`key_2` & CAST(? AS BIGINT) AS `key_2`,
      COUNT(DISTINCT f.entity) AS entities,
      CAST(SUM(`f`.`row_count`) AS BIGINT) AS row_count
    FROM `frequency "set" 2` AS f
    GROUP BY 2, 3
  ) AS `p0`
  JOIN (
    SELECT
      node,
      `key_1`,
      `key_2`,
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COUNT(`sensitive`) AS `measure_1`
    FROM (
      SELECT
        0 AS node,
        f.`key_1` & CAST(? AS BIGINT) AS `key_1`,
        f.`key_2` & CAST(? AS BIGINT) AS `key_2`,
        f.`sensitive_1` AS sensitive,
        SUM(f.row_count) AS row_count
      FROM `frequency "set" 2` AS f
      GROUP BY 2, 3, f.`sensitive_1`
    ) AS t
    GROUP BY 1, 2, 3
  ) AS `p1`
    ON p0.node = `p1`.node AND p0.`key_1` = `p1`.`key_1` AND p0.`key_2` = `p1`.`key_2`
  JOIN (
    SELECT
      node,
      `key_1`,
      `key_2`,
      CAST(SUM(row_count) AS BIGINT) AS row_count,
      COUNT(`sensitive`) AS `measure_2`
    FROM (
      SELECT
        0 AS node,
        f.`key_1` & CAST(? AS BIGINT) AS `key_1`,
        f.`key_2` & CAST(? AS BIGINT) AS `key_2`,
        f.`sensitive_2` AS sensitive,
        SUM(f.row_count) AS row_count
      FROM `frequency "set" 2` AS f
      GROUP BY 2, 3, f.`sensitive_2`
    ) AS t
    GROUP BY 1, 2, 3
  ) AS `p2`
    ON p0.node = `p2`.node AND p0.`key_1` = `p2`.`key_1` AND p0.`key_2` = `p2`.`key_2`
) AS c
WHERE `entities` >= 2 AND `measure_1` >= 2 AND `measure_2` >= 1
GROUP BY node, `entities`
ORDER BY node, class_size
