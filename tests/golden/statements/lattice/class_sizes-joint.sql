-- duckdb, postgres
SELECT
  "entities" AS class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows,
  node
FROM (
SELECT
    t.node,
    t."key_1",
    t."key_2",
    COUNT(DISTINCT t.entity) AS entities,
    CAST(SUM(t.row_count) AS BIGINT) AS row_count,
    MAX(CASE WHEN k.node IS NULL THEN 0 ELSE 1 END) AS kept
  FROM "every" AS t
  LEFT JOIN (
    SELECT DISTINCT node, "key_1", "key_2"
    FROM "left again" AS d
  ) AS k
    ON t.node = k.node AND t."key_1" = k."key_1" AND t."key_2" = k."key_2"
  GROUP BY t.node, t."key_1", t."key_2") AS c
WHERE "kept" >= 1
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
    t.node,
    t.`key_1`,
    t.`key_2`,
    COUNT(DISTINCT t.entity) AS entities,
    CAST(SUM(t.row_count) AS BIGINT) AS row_count,
    MAX(CASE WHEN k.node IS NULL THEN 0 ELSE 1 END) AS kept
  FROM `every` AS t
  LEFT JOIN (
    SELECT DISTINCT node, `key_1`, `key_2`
    FROM `left again` AS d
  ) AS k
    ON t.node = k.node AND t.`key_1` = k.`key_1` AND t.`key_2` = k.`key_2`
  GROUP BY t.node, t.`key_1`, t.`key_2`) AS c
WHERE `kept` >= 1
GROUP BY node, `entities`
ORDER BY node, class_size
