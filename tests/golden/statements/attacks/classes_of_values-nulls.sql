-- duckdb, postgres
CREATE TEMP TABLE "attacked clas'ses-nulls 1" AS
SELECT
  class,
  SUM(row_count) AS row_count,
  0 AS without_value,
  COUNT(*) AS different
FROM "attacked val'ues-nulls 1"
GROUP BY class

-- spark
CREATE TEMP VIEW `attacked clas'ses-nulls 1` AS
SELECT
  class,
  SUM(row_count) AS row_count,
  0 AS without_value,
  COUNT(*) AS different
FROM `attacked val'ues-nulls 1`
GROUP BY class
