-- end_rows
UPDATE "ledger; --" AS l
SET death_release = 2
FROM "leaving; --" AS g
WHERE l.row_hash = g.row_hash
