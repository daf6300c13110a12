-- survey_domain
SELECT
  COUNT(*) AS domain_values,
  SUM(CASE WHEN d.value IS NULL THEN 1 ELSE 0 END) AS nulls,
  SUM(CASE WHEN d.value IS NOT NULL AND p.entry IS NULL THEN 1 ELSE 0 END) AS missing_values,
  SUM(CASE WHEN d.value IS NOT NULL AND p.entry IS NULL THEN d.row_count ELSE 0 END) AS missing_rows,
  SUM(CASE WHEN d.value IS NULL THEN d.row_count ELSE 0 END) AS null_rows
FROM "domain SELECT" AS d
LEFT JOIN (SELECT value, 1 AS entry FROM "paths SELECT" AS q GROUP BY value) AS p
  ON CAST("d"."value" AS VARCHAR) = p.value
