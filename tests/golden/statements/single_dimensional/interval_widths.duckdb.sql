-- interval_widths
SELECT SUM(row_count * width_0) AS width
FROM "bo'xes 0" AS b
