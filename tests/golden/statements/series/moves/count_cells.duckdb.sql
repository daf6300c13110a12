-- count_cells
SELECT
  COUNT(*) AS cells,
  COALESCE(SUM(CASE WHEN "class_size" >= 2 AND "measure_1" >= 2 THEN 0 ELSE 1 END), 0) AS short_cells,
  COALESCE(SUM(cell_rows), 0) AS shown_rows,
  MIN("class_size") AS "smallest_class",
  MIN("measure_1") AS "least_1"
FROM (
  SELECT
    COUNT(*) AS cell_rows,
    COUNT(DISTINCT "person_hash") AS "class_size",
    COUNT(DISTINCT "dis'ease") AS "measure_1"
  FROM "ledger; --" AS t
  WHERE birth_release IS NOT NULL
  GROUP BY class_hash, birth_release, death_release
) AS cells
