-- survey_paths
SELECT
  level,
  SUM(entries) AS entries,
  COUNT(*) AS labels,
  SUM(edges) AS edges,
  SUM(blank) AS blank
FROM (
  SELECT
    level,
    label,
    SUM(entries) AS entries,
    COUNT(*) AS edges,
    SUM(blank) AS blank
  FROM (
    SELECT
      level,
      label,
      parent,
      COUNT(*) AS entries,
      SUM(blank) AS blank
    FROM (
      SELECT 0 AS level, CAST("v"."value" AS VARCHAR) AS label, "level_1" AS parent, 0 AS blank
      FROM "paths SELECT" AS v
      UNION ALL
      SELECT 1, "level_1", "level_2", CASE WHEN value IS NOT NULL AND "level_1" IS NULL THEN 1 ELSE 0 END
      FROM "paths SELECT" AS "p1"
      UNION ALL
      SELECT 2, "level_2", NULL, CASE WHEN value IS NOT NULL AND "level_2" IS NULL THEN 1 ELSE 0 END
      FROM "paths SELECT" AS "p2"
    ) AS u
    GROUP BY level, label, parent
  ) AS e
  GROUP BY level, label
) AS l
GROUP BY level
ORDER BY level
