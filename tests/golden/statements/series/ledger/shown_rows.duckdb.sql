-- shown_rows
CREATE TEMP TABLE "shown; --" AS
SELECT "class_hash", "person_hash", "dis'ease"
FROM "ledger; --" AS l
WHERE l.birth_release IS NOT NULL AND l.death_release IS NULL
