-- survey_all_domains
SELECT
  d.quasi,
  COUNT(*) AS domain_values,
  SUM(CASE WHEN d.entry IS NULL THEN 1 ELSE 0 END) AS nulls,
  SUM(CASE WHEN d.entry IS NOT NULL AND p.entered IS NULL THEN 1 ELSE 0 END) AS missing_values,
  SUM(CASE WHEN d.entry IS NOT NULL AND p.entered IS NULL THEN d.row_count ELSE 0 END) AS missing_rows,
  SUM(CASE WHEN d.entry IS NULL THEN d.row_count ELSE 0 END) AS null_rows
FROM "all domain's" AS d
LEFT JOIN (SELECT quasi, value, 1 AS entered FROM "all path's" AS q GROUP BY quasi, value) AS p
  ON d.quasi = p.quasi AND d.entry = p.value
GROUP BY d.quasi
