-- duckdb, postgres
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN "kept" >= 1 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN "kept" >= 1 THEN 0 ELSE row_count END) AS suppressed,
  MIN("row_count") AS smallest,
  COALESCE(MIN(CASE WHEN "kept" >= 1 THEN "row_count" END), 0) AS smallest_kept,
  SUM(CASE WHEN "kept" >= 1 THEN row_count * row_count ELSE 0 END) AS squares,
  SUM(row_count * row_count) AS all_squares
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
GROUP BY node

-- spark
SELECT
  node,
  COUNT(*) AS all_classes,
  SUM(CASE WHEN `kept` >= 1 THEN 0 ELSE 1 END) AS failing,
  SUM(CASE WHEN `kept` >= 1 THEN 0 ELSE row_count END) AS suppressed,
  MIN(`row_count`) AS smallest,
  COALESCE(MIN(CASE WHEN `kept` >= 1 THEN `row_count` END), 0) AS smallest_kept,
  SUM(CASE WHEN `kept` >= 1 THEN row_count * row_count ELSE 0 END) AS squares,
  SUM(row_count * row_count) AS all_squares
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
GROUP BY node
