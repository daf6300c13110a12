-- largest_cell
SELECT COALESCE(MAX(cell_rows), 0) AS largest
FROM "due; --" AS d
