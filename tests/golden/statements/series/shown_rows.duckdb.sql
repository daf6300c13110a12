-- shown_rows
CREATE TEMP VIEW "shown; --" AS
SELECT *
FROM "ledger; --" AS l
WHERE birth_release IS NOT NULL
