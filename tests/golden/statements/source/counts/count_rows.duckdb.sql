-- count_rows
SELECT COUNT(*) AS row_count
FROM "the source; DROP TABLE x"
