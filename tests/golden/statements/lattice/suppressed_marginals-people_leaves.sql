-- duckdb
SELECT
  m.node,
  m.item,
  SUM(m.row_count * w.leaves) AS figure
FROM (
  SELECT
    c.node,
    i.item,
    c."key_1" & i."mask_1" AS "key_1",
    c."key_2" & i."mask_2" AS "key_2",
    CAST(SUM(c.row_count) AS BIGINT) AS row_count
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
    CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
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
      CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
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
      CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3, f."sensitive_2"
    ) AS t
    GROUP BY 1, 2, 3
  ) AS "p2"
    ON p0.node = "p2".node AND p0."key_1" = "p2"."key_1" AND p0."key_2" = "p2"."key_2"
  ) AS c
  JOIN (
    VALUES (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER))
  ) AS a (node, item) ON a.node = c.node
  JOIN "items" AS i ON i.item = a.item
  WHERE NOT ("entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1)
  GROUP BY c.node, i.item, c."key_1" & i."mask_1", c."key_2" & i."mask_2"
) AS m
JOIN "weights" AS w
  ON w.item = m.item AND w."key_1" = m."key_1" AND w."key_2" = m."key_2"
GROUP BY m.node, m.item

-- postgres
SELECT
  m.node,
  m.item,
  SUM(m.row_count * w.leaves) AS figure
FROM (
  SELECT
    c.node,
    i.item,
    c."key_1" & i."mask_1" AS "key_1",
    c."key_2" & i."mask_2" AS "key_2",
    CAST(SUM(c.row_count) AS BIGINT) AS row_count
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
    CROSS JOIN (VALUES (0, CAST($1 AS BIGINT), CAST($2 AS BIGINT)), (1, CAST($3 AS BIGINT), CAST($4 AS BIGINT))) AS v (node, "mask_1", "mask_2")
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
      CROSS JOIN (VALUES (0, CAST($5 AS BIGINT), CAST($6 AS BIGINT)), (1, CAST($7 AS BIGINT), CAST($8 AS BIGINT))) AS v (node, "mask_1", "mask_2")
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
      CROSS JOIN (VALUES (0, CAST($9 AS BIGINT), CAST($10 AS BIGINT)), (1, CAST($11 AS BIGINT), CAST($12 AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3, f."sensitive_2"
    ) AS t
    GROUP BY 1, 2, 3
  ) AS "p2"
    ON p0.node = "p2".node AND p0."key_1" = "p2"."key_1" AND p0."key_2" = "p2"."key_2"
  ) AS c
  JOIN (
    VALUES (CAST($13 AS INTEGER), CAST($14 AS INTEGER)), (CAST($15 AS INTEGER), CAST($16 AS INTEGER)), (CAST($17 AS INTEGER), CAST($18 AS INTEGER)), (CAST($19 AS INTEGER), CAST($20 AS INTEGER))
  ) AS a (node, item) ON a.node = c.node
  JOIN "items" AS i ON i.item = a.item
  WHERE NOT ("entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1)
  GROUP BY c.node, i.item, c."key_1" & i."mask_1", c."key_2" & i."mask_2"
) AS m
JOIN "weights" AS w
  ON w.item = m.item AND w."key_1" = m."key_1" AND w."key_2" = m."key_2"
GROUP BY m.node, m.item

-- spark
SELECT
  m.node,
  m.item,
  SUM(m.row_count * w.leaves) AS figure
FROM (
  SELECT
    c.node,
    i.item,
    c.`key_1` & i.`mask_1` AS `key_1`,
    c.`key_2` & i.`mask_2` AS `key_2`,
    CAST(SUM(c.row_count) AS BIGINT) AS row_count
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
    LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
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
      LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
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
      LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
      GROUP BY 1, 2, 3, f.`sensitive_2`
    ) AS t
    GROUP BY 1, 2, 3
  ) AS `p2`
    ON p0.node = `p2`.node AND p0.`key_1` = `p2`.`key_1` AND p0.`key_2` = `p2`.`key_2`
  ) AS c
  JOIN (
    VALUES (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER))
  ) AS a (node, item) ON a.node = c.node
  JOIN `items` AS i ON i.item = a.item
  WHERE NOT (`entities` >= 2 AND `measure_1` >= 2 AND `measure_2` >= 1)
  GROUP BY c.node, i.item, c.`key_1` & i.`mask_1`, c.`key_2` & i.`mask_2`
) AS m
JOIN `weights` AS w
  ON w.item = m.item AND w.`key_1` = m.`key_1` AND w.`key_2` = m.`key_2`
GROUP BY m.node, m.item
