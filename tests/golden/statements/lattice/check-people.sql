-- duckdb
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN 0 ELSE row_count END) AS suppressed,
  MIN("entities") AS smallest,
  COALESCE(MIN(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN "entities" END), 0) AS smallest_kept,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN row_count * row_count ELSE 0 END) AS squares,
  SUM(row_count * row_count) AS all_squares,
  CAST(SUM("entities") AS BIGINT) AS "entities",
  CAST(SUM("measure_1") AS BIGINT) AS "measure_1",
  CAST(SUM("measure_2") AS BIGINT) AS "measure_2"
FROM (
SELECT
    p0.*,
    "p1"."measure_1",
    "p2"."measure_2"
  FROM (
    SELECT
      v.node,
      f."key_1" & v."mask_1" AS "key_1",
      f."key_2" & v."mask_2" AS "key_2",
      COUNT(DISTINCT f.entity) AS entities,
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 2" AS f
    CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT)), (2, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
    GROUP BY 1, 2, 3
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
        v.node,
        f."key_1" & v."mask_1" AS "key_1",
        f."key_2" & v."mask_2" AS "key_2",
        f."sensitive_1" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT)), (2, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3, f."sensitive_1"
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
        v.node,
        f."key_1" & v."mask_1" AS "key_1",
        f."key_2" & v."mask_2" AS "key_2",
        f."sensitive_2" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT)), (2, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3, f."sensitive_2"
    ) AS t
    GROUP BY 1, 2, 3
  ) AS "p2"
    ON p0.node = "p2".node AND p0."key_1" = "p2"."key_1" AND p0."key_2" = "p2"."key_2"
) AS c
GROUP BY node

-- postgres
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN 0 ELSE row_count END) AS suppressed,
  MIN("entities") AS smallest,
  COALESCE(MIN(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN "entities" END), 0) AS smallest_kept,
  SUM(CASE WHEN "entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1 THEN row_count * row_count ELSE 0 END) AS squares,
  SUM(row_count * row_count) AS all_squares,
  CAST(SUM("entities") AS BIGINT) AS "entities",
  CAST(SUM("measure_1") AS BIGINT) AS "measure_1",
  CAST(SUM("measure_2") AS BIGINT) AS "measure_2"
FROM (
SELECT
    p0.*,
    "p1"."measure_1",
    "p2"."measure_2"
  FROM (
    SELECT
      v.node,
      f."key_1" & v."mask_1" AS "key_1",
      f."key_2" & v."mask_2" AS "key_2",
      COUNT(DISTINCT f.entity) AS entities,
      CAST(SUM("f"."row_count") AS BIGINT) AS row_count
    FROM "frequency ""set"" 2" AS f
    CROSS JOIN (VALUES (0, CAST($1 AS BIGINT), CAST($2 AS BIGINT)), (1, CAST($3 AS BIGINT), CAST($4 AS BIGINT)), (2, CAST($5 AS BIGINT), CAST($6 AS BIGINT))) AS v (node, "mask_1", "mask_2")
    GROUP BY 1, 2, 3
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
        v.node,
        f."key_1" & v."mask_1" AS "key_1",
        f."key_2" & v."mask_2" AS "key_2",
        f."sensitive_1" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      CROSS JOIN (VALUES (0, CAST($7 AS BIGINT), CAST($8 AS BIGINT)), (1, CAST($9 AS BIGINT), CAST($10 AS BIGINT)), (2, CAST($11 AS BIGINT), CAST($12 AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3, f."sensitive_1"
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
        v.node,
        f."key_1" & v."mask_1" AS "key_1",
        f."key_2" & v."mask_2" AS "key_2",
        f."sensitive_2" AS sensitive,
        SUM(f.row_count) AS row_count
      FROM "frequency ""set"" 2" AS f
      CROSS JOIN (VALUES (0, CAST($13 AS BIGINT), CAST($14 AS BIGINT)), (1, CAST($15 AS BIGINT), CAST($16 AS BIGINT)), (2, CAST($17 AS BIGINT), CAST($18 AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3, f."sensitive_2"
    ) AS t
    GROUP BY 1, 2, 3
  ) AS "p2"
    ON p0.node = "p2".node AND p0."key_1" = "p2"."key_1" AND p0."key_2" = "p2"."key_2"
) AS c
GROUP BY node

-- spark
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN `entities` >= 2 AND `measure_1` >= 2 AND `measure_2` >= 1 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN `entities` >= 2 AND `measure_1` >= 2 AND `measure_2` >= 1 THEN 0 ELSE row_count END) AS suppressed,
  MIN(`entities`) AS smallest,
  COALESCE(MIN(CASE WHEN `entities` >= 2 AND `measure_1` >= 2 AND `measure_2` >= 1 THEN `entities` END), 0) AS smallest_kept,
  SUM(CASE WHEN `entities` >= 2 AND `measure_1` >= 2 AND `measure_2` >= 1 THEN row_count * row_count ELSE 0 END) AS squares,
  SUM(row_count * row_count) AS all_squares,
  CAST(SUM(`entities`) AS BIGINT) AS `entities`,
  CAST(SUM(`measure_1`) AS BIGINT) AS `measure_1`,
  CAST(SUM(`measure_2`) AS BIGINT) AS `measure_2`
FROM (
SELECT
    p0.*,
    `p1`.`measure_1`,
    `p2`.`measure_2`
  FROM (
    SELECT
      v.node,
      f.`key_1` & v.`mask_1` AS `key_1`,
      f.`key_2` & v.`mask_2` AS `key_2`,
      COUNT(DISTINCT f.entity) AS entities,
      CAST(SUM(`f`.`row_count`) AS BIGINT) AS row_count
    FROM `frequency "set" 2` AS f
    LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(2, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
    GROUP BY 1, 2, 3
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
        v.node,
        f.`key_1` & v.`mask_1` AS `key_1`,
        f.`key_2` & v.`mask_2` AS `key_2`,
        f.`sensitive_1` AS sensitive,
        SUM(f.row_count) AS row_count
      FROM `frequency "set" 2` AS f
      LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(2, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
      GROUP BY 1, 2, 3, f.`sensitive_1`
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
        v.node,
        f.`key_1` & v.`mask_1` AS `key_1`,
        f.`key_2` & v.`mask_2` AS `key_2`,
        f.`sensitive_2` AS sensitive,
        SUM(f.row_count) AS row_count
      FROM `frequency "set" 2` AS f
      LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(2, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
      GROUP BY 1, 2, 3, f.`sensitive_2`
    ) AS t
    GROUP BY 1, 2, 3
  ) AS `p2`
    ON p0.node = `p2`.node AND p0.`key_1` = `p2`.`key_1` AND p0.`key_2` = `p2`.`key_2`
) AS c
GROUP BY node
