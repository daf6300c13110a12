-- region_columns
SELECT
  0 AS axis,
  SUM(row_count * CAST(FLOOR("width_0" * 1000000000 + 0.5) AS BIGINT)) AS widths,
  SUM(CASE WHEN "width_0" = 0 THEN row_count ELSE 0 END) AS exact_rows,
  SUM(CASE WHEN "width_0" >= 1 THEN row_count ELSE 0 END) AS whole_rows,
  SUM(CASE WHEN "width_0" > 0 AND "width_0" >= "width_1" AND "width_0" >= "width_2" THEN 1 ELSE 0 END) AS widest_regions
FROM "re'gions" AS r
UNION ALL
SELECT
  1 AS axis,
  SUM(row_count * CAST(FLOOR("width_1" * 1000000000 + 0.5) AS BIGINT)) AS widths,
  SUM(CASE WHEN "width_1" = 0 THEN row_count ELSE 0 END) AS exact_rows,
  SUM(CASE WHEN "width_1" >= 1 THEN row_count ELSE 0 END) AS whole_rows,
  SUM(CASE WHEN "width_1" > 0 AND "width_1" > "width_0" AND "width_1" >= "width_2" THEN 1 ELSE 0 END) AS widest_regions
FROM "re'gions" AS r
UNION ALL
SELECT
  2 AS axis,
  SUM(row_count * CAST(FLOOR("width_2" * 1000000000 + 0.5) AS BIGINT)) AS widths,
  SUM(CASE WHEN "width_2" = 0 THEN row_count ELSE 0 END) AS exact_rows,
  SUM(CASE WHEN "width_2" >= 1 THEN row_count ELSE 0 END) AS whole_rows,
  SUM(CASE WHEN "width_2" > 0 AND "width_2" > "width_0" AND "width_2" > "width_1" THEN 1 ELSE 0 END) AS widest_regions
FROM "re'gions" AS r
ORDER BY axis
