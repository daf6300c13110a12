SELECT
  0 AS level,
  (SELECT COUNT(*) FROM "paths SELECT" AS p) AS entries,
  (SELECT COUNT(*) FROM (SELECT DISTINCT "value" FROM "paths SELECT" AS p) AS d) AS labels,
  (SELECT COUNT(*) FROM (SELECT DISTINCT "value", "level_1" FROM "paths SELECT" AS p) AS d) AS edges,
  (SELECT COUNT(*) FROM "paths SELECT" AS p WHERE value IS NOT NULL AND "value" IS NULL) AS blank
UNION ALL
SELECT
  1 AS level,
  (SELECT COUNT(*) FROM "paths SELECT" AS p) AS entries,
  (SELECT COUNT(*) FROM (SELECT DISTINCT "level_1" FROM "paths SELECT" AS p) AS d) AS labels,
  (SELECT COUNT(*) FROM (SELECT DISTINCT "level_1", "level_2" FROM "paths SELECT" AS p) AS d) AS edges,
  (SELECT COUNT(*) FROM "paths SELECT" AS p WHERE value IS NOT NULL AND "level_1" IS NULL) AS blank
UNION ALL
SELECT
  2 AS level,
  (SELECT COUNT(*) FROM "paths SELECT" AS p) AS entries,
  (SELECT COUNT(*) FROM (SELECT DISTINCT "level_2" FROM "paths SELECT" AS p) AS d) AS labels,
  0 AS edges,
  (SELECT COUNT(*) FROM "paths SELECT" AS p WHERE value IS NOT NULL AND "level_2" IS NULL) AS blank
ORDER BY level
