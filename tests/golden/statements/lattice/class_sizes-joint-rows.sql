-- duckdb, postgres
SELECT
  "row_count" AS class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows,
  node
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
  GROUP BY t.node, t."key_1", t."key_2") AS c
WHERE "kept" >= 1
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
  GROUP BY t.node, t.`key_1`, t.`key_2`) AS c
WHERE `kept` >= 1
GROUP BY node, `row_count`
ORDER BY node, class_size
