-- first_rows
SELECT *
FROM "the source; DROP TABLE x"
LIMIT 3
