-- all_level_statistics
SELECT
  g.quasi,
  g.level,
  c.leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9))) AS entropy
FROM (
  SELECT quasi, 0 AS level, row_count, 1 AS leaves, "ordinal_0" AS siblings
  FROM "all map's" AS v
  UNION ALL
  SELECT
    quasi,
    level,
    CAST(SUM(row_count) AS BIGINT) AS row_count,
    MAX(leaves) AS leaves,
    MAX(siblings) AS siblings
  FROM (
    SELECT quasi, 1 AS level, "level_1" AS label, row_count, "leaves_1" AS leaves, "ordinal_1" AS siblings
    FROM "all map's" AS "m1"
    UNION ALL
    SELECT quasi, 2 AS level, "level_2" AS label, row_count, "leaves_2" AS leaves, "ordinal_2" AS siblings
    FROM "all map's" AS "m2"
  ) AS u
  GROUP BY quasi, level, label
) AS g
JOIN (SELECT quasi, COUNT(*) AS leaf_domain FROM "all complete's" AS p GROUP BY quasi) AS c ON c.quasi = g.quasi
GROUP BY g.quasi, g.level, c.leaf_domain
ORDER BY g.quasi, g.level
