-- suppressed_marginals
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
