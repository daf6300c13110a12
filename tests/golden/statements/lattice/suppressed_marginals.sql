-- duckdb
SELECT
  m.node,
  m.item,
  SUM(m.row_count * CAST(ROUND(LN("m"."row_count"), 9) AS DECIMAL(12, 9))) AS figure
FROM (
  SELECT
    c.node,
    i.item,
    c."key_1" & i."mask_1" AS "key_1",
    c."key_2" & i."mask_2" AS "key_2",
    CAST(SUM(c.row_count) AS BIGINT) AS row_count
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
    CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
    GROUP BY 1, 2, 3
  ) AS "p0"
  ) AS c
  JOIN (
    VALUES (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER))
  ) AS a (node, item) ON a.node = c.node
  JOIN "items" AS i ON i.item = a.item
  WHERE NOT ("row_count" >= 2)
  GROUP BY c.node, i.item, c."key_1" & i."mask_1", c."key_2" & i."mask_2"
) AS m
GROUP BY m.node, m.item

-- postgres
SELECT
  m.node,
  m.item,
  SUM(m.row_count * ROUND(LN(CAST("m"."row_count" AS NUMERIC)), 9)) AS figure
FROM (
  SELECT
    c.node,
    i.item,
    c."key_1" & i."mask_1" AS "key_1",
    c."key_2" & i."mask_2" AS "key_2",
    CAST(SUM(c.row_count) AS BIGINT) AS row_count
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
    CROSS JOIN (VALUES (0, CAST($1 AS BIGINT), CAST($2 AS BIGINT)), (1, CAST($3 AS BIGINT), CAST($4 AS BIGINT))) AS v (node, "mask_1", "mask_2")
    GROUP BY 1, 2, 3
  ) AS "p0"
  ) AS c
  JOIN (
    VALUES (CAST($5 AS INTEGER), CAST($6 AS INTEGER)), (CAST($7 AS INTEGER), CAST($8 AS INTEGER)), (CAST($9 AS INTEGER), CAST($10 AS INTEGER)), (CAST($11 AS INTEGER), CAST($12 AS INTEGER))
  ) AS a (node, item) ON a.node = c.node
  JOIN "items" AS i ON i.item = a.item
  WHERE NOT ("row_count" >= 2)
  GROUP BY c.node, i.item, c."key_1" & i."mask_1", c."key_2" & i."mask_2"
) AS m
GROUP BY m.node, m.item

-- spark
SELECT
  m.node,
  m.item,
  SUM(m.row_count * CAST(ROUND(LN(`m`.`row_count`), 9) AS DECIMAL(12, 9))) AS figure
FROM (
  SELECT
    c.node,
    i.item,
    c.`key_1` & i.`mask_1` AS `key_1`,
    c.`key_2` & i.`mask_2` AS `key_2`,
    CAST(SUM(c.row_count) AS BIGINT) AS row_count
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
    LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
    GROUP BY 1, 2, 3
  ) AS `p0`
  ) AS c
  JOIN (
    VALUES (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER))
  ) AS a (node, item) ON a.node = c.node
  JOIN `items` AS i ON i.item = a.item
  WHERE NOT (`row_count` >= 2)
  GROUP BY c.node, i.item, c.`key_1` & i.`mask_1`, c.`key_2` & i.`mask_2`
) AS m
GROUP BY m.node, m.item
