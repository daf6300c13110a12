-- remainder_statistics
SELECT
  g.item,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  SUM(g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9))) AS entropy
FROM (
  SELECT
    m.item,
    l.leaves,
    m.row_count
  FROM (
    SELECT
      i.item,
      r."key_1" & i."mask_1" AS "key_1",
      r."key_2" & i."mask_2" AS "key_2",
      CAST(SUM(r.row_count) AS BIGINT) AS row_count
    FROM "le'ft" AS r
    CROSS JOIN "all items" AS i
    GROUP BY i.item, r."key_1" & i."mask_1", r."key_2" & i."mask_2"
  ) AS m
  JOIN "labels; --" AS l
    ON l.item = m.item AND l."key_1" = m."key_1" AND l."key_2" = m."key_2"
) AS g
GROUP BY g.item
