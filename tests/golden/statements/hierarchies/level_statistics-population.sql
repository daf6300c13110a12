-- duckdb
SELECT
  0 AS quasi,
  0 AS level,
  (SELECT COUNT(*) FROM "complete se""x" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(1) AS leaves,
    MAX("ordinal_0") AS siblings
  FROM "map se""x" AS m
  GROUP BY "value"
) AS g
UNION ALL
SELECT
  0 AS quasi,
  1 AS level,
  (SELECT COUNT(*) FROM "complete se""x" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_1") AS leaves,
    MAX(0) AS siblings
  FROM "map se""x" AS m
  GROUP BY "level_1"
) AS g
UNION ALL
SELECT
  1 AS quasi,
  0 AS level,
  (SELECT COUNT(*) FROM "complete zip; --" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(1) AS leaves,
    MAX("ordinal_0") AS siblings
  FROM "map zip; --" AS m
  GROUP BY "value"
) AS g
UNION ALL
SELECT
  1 AS quasi,
  1 AS level,
  (SELECT COUNT(*) FROM "complete zip; --" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_1") AS leaves,
    MAX("ordinal_1") AS siblings
  FROM "map zip; --" AS m
  GROUP BY "level_1"
) AS g
UNION ALL
SELECT
  1 AS quasi,
  2 AS level,
  (SELECT COUNT(*) FROM "complete zip; --" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_2") AS leaves,
    MAX(0) AS siblings
  FROM "map zip; --" AS m
  GROUP BY "level_2"
) AS g
UNION ALL
SELECT
  2 AS quasi,
  0 AS level,
  (SELECT COUNT(*) FROM "complete age
of 👩" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(1) AS leaves,
    MAX("ordinal_0") AS siblings
  FROM "map age
of 👩" AS m
  GROUP BY "value"
) AS g
UNION ALL
SELECT
  2 AS quasi,
  1 AS level,
  (SELECT COUNT(*) FROM "complete age
of 👩" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_1") AS leaves,
    MAX("ordinal_1") AS siblings
  FROM "map age
of 👩" AS m
  GROUP BY "level_1"
) AS g
UNION ALL
SELECT
  2 AS quasi,
  2 AS level,
  (SELECT COUNT(*) FROM "complete age
of 👩" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_2") AS leaves,
    MAX("ordinal_2") AS siblings
  FROM "map age
of 👩" AS m
  GROUP BY "level_2"
) AS g
UNION ALL
SELECT
  2 AS quasi,
  3 AS level,
  (SELECT COUNT(*) FROM "complete age
of 👩" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_3") AS leaves,
    MAX(0) AS siblings
  FROM "map age
of 👩" AS m
  GROUP BY "level_3"
) AS g
UNION ALL
SELECT
  3 AS quasi,
  0 AS level,
  (SELECT COUNT(*) FROM "complete SELECT" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(1) AS leaves,
    MAX("ordinal_0") AS siblings
  FROM "map SELECT" AS m
  GROUP BY "value"
) AS g
UNION ALL
SELECT
  3 AS quasi,
  1 AS level,
  (SELECT COUNT(*) FROM "complete SELECT" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_1") AS leaves,
    MAX("ordinal_1") AS siblings
  FROM "map SELECT" AS m
  GROUP BY "level_1"
) AS g
UNION ALL
SELECT
  3 AS quasi,
  2 AS level,
  (SELECT COUNT(*) FROM "complete SELECT" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN("g"."row_count"), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_2") AS leaves,
    MAX(0) AS siblings
  FROM "map SELECT" AS m
  GROUP BY "level_2"
) AS g
ORDER BY quasi, level

-- postgres
SELECT
  0 AS quasi,
  0 AS level,
  (SELECT COUNT(*) FROM "complete se""x" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * ROUND(LN(CAST("g"."row_count" AS NUMERIC)), 9) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(1) AS leaves,
    MAX("ordinal_0") AS siblings
  FROM "map se""x" AS m
  GROUP BY "value"
) AS g
UNION ALL
SELECT
  0 AS quasi,
  1 AS level,
  (SELECT COUNT(*) FROM "complete se""x" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * ROUND(LN(CAST("g"."row_count" AS NUMERIC)), 9) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_1") AS leaves,
    MAX(0) AS siblings
  FROM "map se""x" AS m
  GROUP BY "level_1"
) AS g
UNION ALL
SELECT
  1 AS quasi,
  0 AS level,
  (SELECT COUNT(*) FROM "complete zip; --" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * ROUND(LN(CAST("g"."row_count" AS NUMERIC)), 9) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(1) AS leaves,
    MAX("ordinal_0") AS siblings
  FROM "map zip; --" AS m
  GROUP BY "value"
) AS g
UNION ALL
SELECT
  1 AS quasi,
  1 AS level,
  (SELECT COUNT(*) FROM "complete zip; --" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * ROUND(LN(CAST("g"."row_count" AS NUMERIC)), 9) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_1") AS leaves,
    MAX("ordinal_1") AS siblings
  FROM "map zip; --" AS m
  GROUP BY "level_1"
) AS g
UNION ALL
SELECT
  1 AS quasi,
  2 AS level,
  (SELECT COUNT(*) FROM "complete zip; --" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * ROUND(LN(CAST("g"."row_count" AS NUMERIC)), 9) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_2") AS leaves,
    MAX(0) AS siblings
  FROM "map zip; --" AS m
  GROUP BY "level_2"
) AS g
UNION ALL
SELECT
  2 AS quasi,
  0 AS level,
  (SELECT COUNT(*) FROM "complete age
of 👩" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * ROUND(LN(CAST("g"."row_count" AS NUMERIC)), 9) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(1) AS leaves,
    MAX("ordinal_0") AS siblings
  FROM "map age
of 👩" AS m
  GROUP BY "value"
) AS g
UNION ALL
SELECT
  2 AS quasi,
  1 AS level,
  (SELECT COUNT(*) FROM "complete age
of 👩" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * ROUND(LN(CAST("g"."row_count" AS NUMERIC)), 9) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_1") AS leaves,
    MAX("ordinal_1") AS siblings
  FROM "map age
of 👩" AS m
  GROUP BY "level_1"
) AS g
UNION ALL
SELECT
  2 AS quasi,
  2 AS level,
  (SELECT COUNT(*) FROM "complete age
of 👩" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * ROUND(LN(CAST("g"."row_count" AS NUMERIC)), 9) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_2") AS leaves,
    MAX("ordinal_2") AS siblings
  FROM "map age
of 👩" AS m
  GROUP BY "level_2"
) AS g
UNION ALL
SELECT
  2 AS quasi,
  3 AS level,
  (SELECT COUNT(*) FROM "complete age
of 👩" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * ROUND(LN(CAST("g"."row_count" AS NUMERIC)), 9) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_3") AS leaves,
    MAX(0) AS siblings
  FROM "map age
of 👩" AS m
  GROUP BY "level_3"
) AS g
UNION ALL
SELECT
  3 AS quasi,
  0 AS level,
  (SELECT COUNT(*) FROM "complete SELECT" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * ROUND(LN(CAST("g"."row_count" AS NUMERIC)), 9) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(1) AS leaves,
    MAX("ordinal_0") AS siblings
  FROM "map SELECT" AS m
  GROUP BY "value"
) AS g
UNION ALL
SELECT
  3 AS quasi,
  1 AS level,
  (SELECT COUNT(*) FROM "complete SELECT" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * ROUND(LN(CAST("g"."row_count" AS NUMERIC)), 9) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_1") AS leaves,
    MAX("ordinal_1") AS siblings
  FROM "map SELECT" AS m
  GROUP BY "level_1"
) AS g
UNION ALL
SELECT
  3 AS quasi,
  2 AS level,
  (SELECT COUNT(*) FROM "complete SELECT" AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * ROUND(LN(CAST("g"."row_count" AS NUMERIC)), 9) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX("leaves_2") AS leaves,
    MAX(0) AS siblings
  FROM "map SELECT" AS m
  GROUP BY "level_2"
) AS g
ORDER BY quasi, level

-- spark
SELECT
  0 AS quasi,
  0 AS level,
  (SELECT COUNT(*) FROM `complete se"x` AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN(`g`.`row_count`), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(1) AS leaves,
    MAX(`ordinal_0`) AS siblings
  FROM `map se"x` AS m
  GROUP BY `value`
) AS g
UNION ALL
SELECT
  0 AS quasi,
  1 AS level,
  (SELECT COUNT(*) FROM `complete se"x` AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN(`g`.`row_count`), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(`leaves_1`) AS leaves,
    MAX(0) AS siblings
  FROM `map se"x` AS m
  GROUP BY `level_1`
) AS g
UNION ALL
SELECT
  1 AS quasi,
  0 AS level,
  (SELECT COUNT(*) FROM `complete zip; --` AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN(`g`.`row_count`), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(1) AS leaves,
    MAX(`ordinal_0`) AS siblings
  FROM `map zip; --` AS m
  GROUP BY `value`
) AS g
UNION ALL
SELECT
  1 AS quasi,
  1 AS level,
  (SELECT COUNT(*) FROM `complete zip; --` AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN(`g`.`row_count`), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(`leaves_1`) AS leaves,
    MAX(`ordinal_1`) AS siblings
  FROM `map zip; --` AS m
  GROUP BY `level_1`
) AS g
UNION ALL
SELECT
  1 AS quasi,
  2 AS level,
  (SELECT COUNT(*) FROM `complete zip; --` AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN(`g`.`row_count`), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(`leaves_2`) AS leaves,
    MAX(0) AS siblings
  FROM `map zip; --` AS m
  GROUP BY `level_2`
) AS g
UNION ALL
SELECT
  2 AS quasi,
  0 AS level,
  (SELECT COUNT(*) FROM `complete age
of 👩` AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN(`g`.`row_count`), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(1) AS leaves,
    MAX(`ordinal_0`) AS siblings
  FROM `map age
of 👩` AS m
  GROUP BY `value`
) AS g
UNION ALL
SELECT
  2 AS quasi,
  1 AS level,
  (SELECT COUNT(*) FROM `complete age
of 👩` AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN(`g`.`row_count`), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(`leaves_1`) AS leaves,
    MAX(`ordinal_1`) AS siblings
  FROM `map age
of 👩` AS m
  GROUP BY `level_1`
) AS g
UNION ALL
SELECT
  2 AS quasi,
  2 AS level,
  (SELECT COUNT(*) FROM `complete age
of 👩` AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN(`g`.`row_count`), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(`leaves_2`) AS leaves,
    MAX(`ordinal_2`) AS siblings
  FROM `map age
of 👩` AS m
  GROUP BY `level_2`
) AS g
UNION ALL
SELECT
  2 AS quasi,
  3 AS level,
  (SELECT COUNT(*) FROM `complete age
of 👩` AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN(`g`.`row_count`), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(`leaves_3`) AS leaves,
    MAX(0) AS siblings
  FROM `map age
of 👩` AS m
  GROUP BY `level_3`
) AS g
UNION ALL
SELECT
  3 AS quasi,
  0 AS level,
  (SELECT COUNT(*) FROM `complete SELECT` AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN(`g`.`row_count`), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(1) AS leaves,
    MAX(`ordinal_0`) AS siblings
  FROM `map SELECT` AS m
  GROUP BY `value`
) AS g
UNION ALL
SELECT
  3 AS quasi,
  1 AS level,
  (SELECT COUNT(*) FROM `complete SELECT` AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN(`g`.`row_count`), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(`leaves_1`) AS leaves,
    MAX(`ordinal_1`) AS siblings
  FROM `map SELECT` AS m
  GROUP BY `level_1`
) AS g
UNION ALL
SELECT
  3 AS quasi,
  2 AS level,
  (SELECT COUNT(*) FROM `complete SELECT` AS p) AS leaf_domain,
  COUNT(*) AS label_count,
  SUM(g.row_count * g.leaves) AS leaves,
  MIN(g.leaves) AS narrowest,
  MAX(g.leaves) AS widest,
  MAX(g.siblings) AS last_sibling,
  SUM(CASE WHEN g.row_count > 0 THEN g.row_count * CAST(ROUND(LN(`g`.`row_count`), 9) AS DECIMAL(12, 9)) END) AS entropy
FROM (
  SELECT
    SUM(row_count) AS row_count,
    MAX(`leaves_2`) AS leaves,
    MAX(0) AS siblings
  FROM `map SELECT` AS m
  GROUP BY `level_2`
) AS g
ORDER BY quasi, level
