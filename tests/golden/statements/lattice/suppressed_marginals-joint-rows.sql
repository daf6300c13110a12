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
    t.node,
    t."key_1",
    t."key_2",
    CAST(SUM(t.row_count) AS BIGINT) AS row_count,
    MAX(CASE WHEN k.node IS NULL THEN 0 ELSE 1 END) AS kept
  FROM "every-rows" AS t
  LEFT JOIN (
    SELECT DISTINCT node, "key_1", "key_2"
    FROM "left again-rows" AS d
  ) AS k
    ON t.node = k.node AND t."key_1" = k."key_1" AND t."key_2" = k."key_2"
  GROUP BY t.node, t."key_1", t."key_2"  ) AS c
  JOIN (
    VALUES (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER))
  ) AS a (node, item) ON a.node = c.node
  JOIN "items" AS i ON i.item = a.item
  WHERE NOT ("kept" >= 1)
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
    t.node,
    t."key_1",
    t."key_2",
    CAST(SUM(t.row_count) AS BIGINT) AS row_count,
    MAX(CASE WHEN k.node IS NULL THEN 0 ELSE 1 END) AS kept
  FROM "every-rows" AS t
  LEFT JOIN (
    SELECT DISTINCT node, "key_1", "key_2"
    FROM "left again-rows" AS d
  ) AS k
    ON t.node = k.node AND t."key_1" = k."key_1" AND t."key_2" = k."key_2"
  GROUP BY t.node, t."key_1", t."key_2"  ) AS c
  JOIN (
    VALUES (CAST($1 AS INTEGER), CAST($2 AS INTEGER)), (CAST($3 AS INTEGER), CAST($4 AS INTEGER))
  ) AS a (node, item) ON a.node = c.node
  JOIN "items" AS i ON i.item = a.item
  WHERE NOT ("kept" >= 1)
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
    t.node,
    t.`key_1`,
    t.`key_2`,
    CAST(SUM(t.row_count) AS BIGINT) AS row_count,
    MAX(CASE WHEN k.node IS NULL THEN 0 ELSE 1 END) AS kept
  FROM `every-rows` AS t
  LEFT JOIN (
    SELECT DISTINCT node, `key_1`, `key_2`
    FROM `left again-rows` AS d
  ) AS k
    ON t.node = k.node AND t.`key_1` = k.`key_1` AND t.`key_2` = k.`key_2`
  GROUP BY t.node, t.`key_1`, t.`key_2`  ) AS c
  JOIN (
    VALUES (CAST(? AS INTEGER), CAST(? AS INTEGER)), (CAST(? AS INTEGER), CAST(? AS INTEGER))
  ) AS a (node, item) ON a.node = c.node
  JOIN `items` AS i ON i.item = a.item
  WHERE NOT (`kept` >= 1)
  GROUP BY c.node, i.item, c.`key_1` & i.`mask_1`, c.`key_2` & i.`mask_2`
) AS m
JOIN `weights` AS w
  ON w.item = m.item AND w.`key_1` = m.`key_1` AND w.`key_2` = m.`key_2`
GROUP BY m.node, m.item
