-- label_sums
SELECT
  0 AS quasi,
  SUM(CASE WHEN l.row_count IS NULL THEN c.row_count ELSE 0 END) AS unknown,
  SUM(CASE WHEN l.row_count IS NOT NULL AND l.level IS NULL THEN c.row_count ELSE 0 END) AS at_several,
  SUM(CASE WHEN l.row_count IS NOT NULL AND l.leaves IS NULL THEN c.row_count ELSE 0 END) AS unclear,
  MIN(l.level) AS lowest,
  MAX(l.level) AS highest,
  SUM(c.row_count * l.level) AS levels,
  SUM(c.row_count * l.leaves) AS leaves,
  SUM(CASE WHEN l.leaves > 1 THEN c.row_count * l.leaves ELSE 0 END) AS wide,
  SUM(c.row_count * CAST(ROUND(LN("l"."leaves"), 9) AS DECIMAL(12, 9))) AS leaf_logarithms,
  SUM(c.row_count * CAST(ROUND(LN("l"."row_count"), 9) AS DECIMAL(12, 9))) AS shared
FROM (
  SELECT
    "key_0" AS label,
    SUM(row_count) AS row_count
  FROM "measu'red classes"
  GROUP BY "key_0"
) AS c
LEFT JOIN "measu'red labels se""x" AS l ON l.label = c.label
UNION ALL
SELECT
  1 AS quasi,
  SUM(CASE WHEN l.row_count IS NULL THEN c.row_count ELSE 0 END) AS unknown,
  SUM(CASE WHEN l.row_count IS NOT NULL AND l.level IS NULL THEN c.row_count ELSE 0 END) AS at_several,
  SUM(CASE WHEN l.row_count IS NOT NULL AND l.leaves IS NULL THEN c.row_count ELSE 0 END) AS unclear,
  MIN(l.level) AS lowest,
  MAX(l.level) AS highest,
  SUM(c.row_count * l.level) AS levels,
  SUM(c.row_count * l.leaves) AS leaves,
  SUM(CASE WHEN l.leaves > 1 THEN c.row_count * l.leaves ELSE 0 END) AS wide,
  SUM(c.row_count * CAST(ROUND(LN("l"."leaves"), 9) AS DECIMAL(12, 9))) AS leaf_logarithms,
  SUM(c.row_count * CAST(ROUND(LN("l"."row_count"), 9) AS DECIMAL(12, 9))) AS shared
FROM (
  SELECT
    "key_1" AS label,
    SUM(row_count) AS row_count
  FROM "measu'red classes"
  GROUP BY "key_1"
) AS c
LEFT JOIN "measu'red labels zip; --" AS l ON l.label = c.label
UNION ALL
SELECT
  2 AS quasi,
  SUM(CASE WHEN l.row_count IS NULL THEN c.row_count ELSE 0 END) AS unknown,
  SUM(CASE WHEN l.row_count IS NOT NULL AND l.level IS NULL THEN c.row_count ELSE 0 END) AS at_several,
  SUM(CASE WHEN l.row_count IS NOT NULL AND l.leaves IS NULL THEN c.row_count ELSE 0 END) AS unclear,
  MIN(l.level) AS lowest,
  MAX(l.level) AS highest,
  SUM(c.row_count * l.level) AS levels,
  SUM(c.row_count * l.leaves) AS leaves,
  SUM(CASE WHEN l.leaves > 1 THEN c.row_count * l.leaves ELSE 0 END) AS wide,
  SUM(c.row_count * CAST(ROUND(LN("l"."leaves"), 9) AS DECIMAL(12, 9))) AS leaf_logarithms,
  SUM(c.row_count * CAST(ROUND(LN("l"."row_count"), 9) AS DECIMAL(12, 9))) AS shared
FROM (
  SELECT
    "key_2" AS label,
    SUM(row_count) AS row_count
  FROM "measu'red classes"
  GROUP BY "key_2"
) AS c
LEFT JOIN "measu'red labels age
of 👩" AS l ON l.label = c.label
UNION ALL
SELECT
  3 AS quasi,
  SUM(CASE WHEN l.row_count IS NULL THEN c.row_count ELSE 0 END) AS unknown,
  SUM(CASE WHEN l.row_count IS NOT NULL AND l.level IS NULL THEN c.row_count ELSE 0 END) AS at_several,
  SUM(CASE WHEN l.row_count IS NOT NULL AND l.leaves IS NULL THEN c.row_count ELSE 0 END) AS unclear,
  MIN(l.level) AS lowest,
  MAX(l.level) AS highest,
  SUM(c.row_count * l.level) AS levels,
  SUM(c.row_count * l.leaves) AS leaves,
  SUM(CASE WHEN l.leaves > 1 THEN c.row_count * l.leaves ELSE 0 END) AS wide,
  SUM(c.row_count * CAST(ROUND(LN("l"."leaves"), 9) AS DECIMAL(12, 9))) AS leaf_logarithms,
  SUM(c.row_count * CAST(ROUND(LN("l"."row_count"), 9) AS DECIMAL(12, 9))) AS shared
FROM (
  SELECT
    "key_3" AS label,
    SUM(row_count) AS row_count
  FROM "measu'red classes"
  GROUP BY "key_3"
) AS c
LEFT JOIN "measu'red labels SELECT" AS l ON l.label = c.label
ORDER BY quasi
