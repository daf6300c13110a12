-- classes_of_values
CREATE TEMP TABLE "attacked clas'ses 1" AS
SELECT
  class,
  SUM(row_count) AS row_count,
  SUM(CASE WHEN value IS NULL THEN row_count ELSE 0 END) AS without_value,
  COUNT(value) AS different
FROM "attacked val'ues 1"
GROUP BY class
