-- mark_gone
UPDATE "ledger; --" AS l
SET gone_release = a.gone_release
FROM "alive; --" AS a
WHERE a.noticed = 1 AND l.row_hash = a.row_hash
