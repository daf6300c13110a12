-- survey_all_paths
SELECT
  quasi,
  level,
  SUM(entries) AS entries,
  COUNT(*) AS labels,
  SUM(edges) AS edges,
  SUM(blank) AS blank
FROM (
  SELECT
    quasi,
    level,
    label,
    SUM(entries) AS entries,
    COUNT(*) AS edges,
    SUM(blank) AS blank
  FROM (
    SELECT
      quasi,
      level,
      label,
      parent,
      COUNT(*) AS entries,
      SUM(blank) AS blank
    FROM (
      SELECT quasi, 0 AS level, value AS label, "level_1" AS parent, 0 AS blank
      FROM "all path's" AS v
      UNION ALL
      SELECT quasi, 1, "level_1", "level_2", CASE WHEN value IS NOT NULL AND "level_1" IS NULL THEN 1 ELSE 0 END
      FROM "all path's" AS "p1"
      UNION ALL
      SELECT quasi, 2, "level_2", NULL, CASE WHEN value IS NOT NULL AND "level_2" IS NULL THEN 1 ELSE 0 END
      FROM "all path's" AS "p2"
    ) AS u
    GROUP BY quasi, level, label, parent
  ) AS e
  GROUP BY quasi, level, label
) AS l
GROUP BY quasi, level
ORDER BY quasi, level
