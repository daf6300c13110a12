-- count_released_labels-kept
SELECT
  COUNT(DISTINCT "g"."key_1" & CAST(0 AS BIGINT)) AS "labels_0",
  COUNT(DISTINCT "g"."key_1" & CAST(24 AS BIGINT)) AS "labels_1",
  COUNT(DISTINCT "g"."key_2" & CAST(6 AS BIGINT)) AS "labels_2",
  COUNT(DISTINCT "g"."key_1" & CAST(0 AS BIGINT)) AS "labels_3"
FROM (
SELECT
    t.node,
    t."key_1",
    t."key_2",
    COUNT(DISTINCT t.entity) AS entities,
    CAST(SUM(t.row_count) AS BIGINT) AS row_count,
    MAX(CASE WHEN k.node IS NULL THEN 0 ELSE 1 END) AS kept
  FROM "every class of" AS t
  LEFT JOIN (
    SELECT DISTINCT node, "key_1", "key_2"
    FROM "every class of" AS d
  ) AS k
    ON t.node = k.node AND t."key_1" = k."key_1" AND t."key_2" = k."key_2"
  GROUP BY t.node, t."key_1", t."key_2") AS g
WHERE "kept" >= 1
