-- level_statistics-several_roots
SELECT
  0 AS quasi,
  0 AS level,
  (SELECT COUNT(*) FROM "complete SELECT" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9))) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(1) AS leaves,
    MAX("ordinal_0") AS siblings
  FROM "map of several" AS m
  GROUP BY "value"
) AS g
UNION ALL
SELECT
  0 AS quasi,
  1 AS level,
  (SELECT COUNT(*) FROM "complete SELECT" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9))) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_1") AS leaves,
    MAX("ordinal_1") AS siblings
  FROM "map of several" AS m
  GROUP BY "level_1"
) AS g
ORDER BY quasi, level
