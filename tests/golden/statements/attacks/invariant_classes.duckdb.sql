-- invariant_classes
SELECT
  COUNT(*) AS classes,
  COALESCE(SUM(CASE WHEN different < row_count THEN 1 ELSE 0 END), 0) AS repeating,
  MIN(different) AS fewest
FROM "attacked clas'ses-nulls 1"
