-- first_row
SELECT MIN(rowid) AS first_row
FROM "sor'ted" AS s
