-- count_uncut
SELECT COUNT(*) AS regions
FROM "re'gions" AS r
WHERE axis IS NOT NULL
  AND row_count >= 4
  AND NOT EXISTS (SELECT 1 FROM "cuts; 0" AS c WHERE c.region = r.region)
