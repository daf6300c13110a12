-- duckdb, postgres
SELECT
  COUNT(*) AS parts,
  SUM(row_count * "width_0") AS width
FROM "bo'xes 1" AS b

-- spark
SELECT
  COUNT(*) AS parts,
  SUM(row_count * `width_0`) AS width
FROM `bo'xes 1` AS b
