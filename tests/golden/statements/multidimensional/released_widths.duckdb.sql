-- released_widths
SELECT
  SUM(row_count * "width_0") AS "width_0",
  SUM(row_count * "width_1") AS "width_1",
  SUM(row_count * "width_2") AS "width_2"
FROM "box'es" AS b
