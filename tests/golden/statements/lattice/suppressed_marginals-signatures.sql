-- duckdb
WITH persons AS (
  SELECT
    node,
    entity,
    ARRAY_TO_STRING(LIST_SORT(LIST("tuple_text")), ',') AS signature,
    CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM (
    SELECT
      node,
      entity,
      CONCAT(CAST("key_1" AS VARCHAR), ' ', CAST("key_2" AS VARCHAR), ' ', CAST("row_count" AS VARCHAR)) AS tuple_text,
      row_count
    FROM (
      SELECT
        v.node,
        f."key_1" & v."mask_1" AS "key_1",
        f."key_2" & v."mask_2" AS "key_2",
        f.entity,
        CAST(SUM(f.row_count) AS BIGINT) AS row_count
      FROM "frequency ""set"" 2" AS f
      CROSS JOIN (VALUES (0, CAST(? AS BIGINT), CAST(? AS BIGINT)), (1, CAST(? AS BIGINT), CAST(? AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3, f.entity
    ) AS g
  ) AS h
  GROUP BY node, entity
)
SELECT
  m.node,
  m.item,
  SUM(m.row_count * w.leaves) AS figure
FROM (
  SELECT
    c.node,
    i.item,
    f."key_1" & i."mask_1" AS "key_1",
    f."key_2" & i."mask_2" AS "key_2",
    CAST(SUM(f.row_count) AS BIGINT) AS row_count
  FROM (
SELECT
    p0.*,
    "p1"."measure_1",
    "p2"."measure_2"
  FROM (
    SELECT
      node,
      signature,
      COUNT(*) AS entities,
      CAST(SUM(row_count) AS BIGINT) AS row_count
    FROM persons AS p
    GROUP BY node, signature
  ) AS p0
  JOIN (
    SELECT
      p.node,
      p.signature,
      COUNT(DISTINCT "sensitive_1") AS "measure_1"
    FROM "frequency ""set"" 2" AS f
    JOIN persons AS p ON p.entity = f.entity
    GROUP BY p.node, p.signature
  ) AS "p1"
    ON p0.node = "p1".node AND p0.signature = "p1".signature
  JOIN (
    SELECT
      p.node,
      p.signature,
      COUNT(DISTINCT "sensitive_2") AS "measure_2"
    FROM "frequency ""set"" 2" AS f
    JOIN persons AS p ON p.entity = f.entity
    GROUP BY p.node, p.signature
  ) AS "p2"
    ON p0.node = "p2".node AND p0.signature = "p2".signature
  ) AS c
  JOIN persons AS p ON p.node = c.node AND p.signature = c.signature
  JOIN "frequency ""set"" 2" AS f ON f.entity = p.entity
  JOIN (
    VALUES (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER))
  ) AS a (node, item) ON a.node = c.node
  JOIN "items" AS i ON i.item = a.item
  WHERE NOT ("entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1)
  GROUP BY c.node, i.item, f."key_1" & i."mask_1", f."key_2" & i."mask_2"
) AS m
JOIN "weights" AS w
  ON w.item = m.item AND w."key_1" = m."key_1" AND w."key_2" = m."key_2"
GROUP BY m.node, m.item

-- postgres
WITH persons AS (
  SELECT
    node,
    entity,
    COALESCE(STRING_AGG("tuple_text", ',' ORDER BY "tuple_text" COLLATE "C"), '') AS signature,
    CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM (
    SELECT
      node,
      entity,
      CONCAT(CAST("key_1" AS TEXT), ' ', CAST("key_2" AS TEXT), ' ', CAST("row_count" AS TEXT)) AS tuple_text,
      row_count
    FROM (
      SELECT
        v.node,
        f."key_1" & v."mask_1" AS "key_1",
        f."key_2" & v."mask_2" AS "key_2",
        f.entity,
        CAST(SUM(f.row_count) AS BIGINT) AS row_count
      FROM "frequency ""set"" 2" AS f
      CROSS JOIN (VALUES (0, CAST($1 AS BIGINT), CAST($2 AS BIGINT)), (1, CAST($3 AS BIGINT), CAST($4 AS BIGINT))) AS v (node, "mask_1", "mask_2")
      GROUP BY 1, 2, 3, f.entity
    ) AS g
  ) AS h
  GROUP BY node, entity
)
SELECT
  m.node,
  m.item,
  SUM(m.row_count * w.leaves) AS figure
FROM (
  SELECT
    c.node,
    i.item,
    f."key_1" & i."mask_1" AS "key_1",
    f."key_2" & i."mask_2" AS "key_2",
    CAST(SUM(f.row_count) AS BIGINT) AS row_count
  FROM (
SELECT
    p0.*,
    "p1"."measure_1",
    "p2"."measure_2"
  FROM (
    SELECT
      node,
      signature,
      COUNT(*) AS entities,
      CAST(SUM(row_count) AS BIGINT) AS row_count
    FROM persons AS p
    GROUP BY node, signature
  ) AS p0
  JOIN (
    SELECT
      p.node,
      p.signature,
      COUNT(DISTINCT "sensitive_1") AS "measure_1"
    FROM "frequency ""set"" 2" AS f
    JOIN persons AS p ON p.entity = f.entity
    GROUP BY p.node, p.signature
  ) AS "p1"
    ON p0.node = "p1".node AND p0.signature = "p1".signature
  JOIN (
    SELECT
      p.node,
      p.signature,
      COUNT(DISTINCT "sensitive_2") AS "measure_2"
    FROM "frequency ""set"" 2" AS f
    JOIN persons AS p ON p.entity = f.entity
    GROUP BY p.node, p.signature
  ) AS "p2"
    ON p0.node = "p2".node AND p0.signature = "p2".signature
  ) AS c
  JOIN persons AS p ON p.node = c.node AND p.signature = c.signature
  JOIN "frequency ""set"" 2" AS f ON f.entity = p.entity
  JOIN (
    VALUES (CAST($5 AS INTEGER), CAST($6 AS INTEGER)), (CAST($7 AS INTEGER), CAST($8 AS INTEGER)), (CAST($9 AS INTEGER), CAST($10 AS INTEGER)), (CAST($11 AS INTEGER), CAST($12 AS INTEGER))
  ) AS a (node, item) ON a.node = c.node
  JOIN "items" AS i ON i.item = a.item
  WHERE NOT ("entities" >= 2 AND "measure_1" >= 2 AND "measure_2" >= 1)
  GROUP BY c.node, i.item, f."key_1" & i."mask_1", f."key_2" & i."mask_2"
) AS m
JOIN "weights" AS w
  ON w.item = m.item AND w."key_1" = m."key_1" AND w."key_2" = m."key_2"
GROUP BY m.node, m.item

-- spark
WITH persons AS (
  SELECT
    node,
    entity,
    ARRAY_JOIN(SORT_ARRAY(COLLECT_LIST(`tuple_text`)), ',') AS signature,
    CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM (
    SELECT
      node,
      entity,
      CONCAT(CAST(`key_1` AS STRING), ' ', CAST(`key_2` AS STRING), ' ', CAST(`row_count` AS STRING)) AS tuple_text,
      row_count
    FROM (
      SELECT
        v.node,
        f.`key_1` & v.`mask_1` AS `key_1`,
        f.`key_2` & v.`mask_2` AS `key_2`,
        f.entity,
        CAST(SUM(f.row_count) AS BIGINT) AS row_count
      FROM `frequency "set" 2` AS f
      LATERAL VIEW INLINE(ARRAY(STRUCT(0, CAST(? AS BIGINT), CAST(? AS BIGINT)), STRUCT(1, CAST(? AS BIGINT), CAST(? AS BIGINT)))) v AS node, `mask_1`, `mask_2`
      GROUP BY 1, 2, 3, f.entity
    ) AS g
  ) AS h
  GROUP BY node, entity
)
SELECT
  m.node,
  m.item,
  SUM(m.row_count * w.leaves) AS figure
FROM (
  SELECT
    c.node,
    i.item,
    f.`key_1` & i.`mask_1` AS `key_1`,
    f.`key_2` & i.`mask_2` AS `key_2`,
    CAST(SUM(f.row_count) AS BIGINT) AS row_count
  FROM (
SELECT
    p0.*,
    `p1`.`measure_1`,
    `p2`.`measure_2`
  FROM (
    SELECT
      node,
      signature,
      COUNT(*) AS entities,
      CAST(SUM(row_count) AS BIGINT) AS row_count
    FROM persons AS p
    GROUP BY node, signature
  ) AS p0
  JOIN (
    SELECT
      p.node,
      p.signature,
      COUNT(DISTINCT `sensitive_1`) AS `measure_1`
    FROM `frequency "set" 2` AS f
    JOIN persons AS p ON p.entity = f.entity
    GROUP BY p.node, p.signature
  ) AS `p1`
    ON p0.node = `p1`.node AND p0.signature = `p1`.signature
  JOIN (
    SELECT
      p.node,
      p.signature,
      COUNT(DISTINCT `sensitive_2`) AS `measure_2`
    FROM `frequency "set" 2` AS f
    JOIN persons AS p ON p.entity = f.entity
    GROUP BY p.node, p.signature
  ) AS `p2`
    ON p0.node = `p2`.node AND p0.signature = `p2`.signature
  ) AS c
  JOIN persons AS p ON p.node = c.node AND p.signature = c.signature
  JOIN `frequency "set" 2` AS f ON f.entity = p.entity
  JOIN (
    VALUES (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER))
  ) AS a (node, item) ON a.node = c.node
  JOIN `items` AS i ON i.item = a.item
  WHERE NOT (`entities` >= 2 AND `measure_1` >= 2 AND `measure_2` >= 1)
  GROUP BY c.node, i.item, f.`key_1` & i.`mask_1`, f.`key_2` & i.`mask_2`
) AS m
JOIN `weights` AS w
  ON w.item = m.item AND w.`key_1` = m.`key_1` AND w.`key_2` = m.`key_2`
GROUP BY m.node, m.item
