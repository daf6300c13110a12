-- mark_gone
UPDATE "ledger; --" AS l
SET gone_release = g.gone_release
FROM "gone; --" AS g
WHERE l.row_hash = g.row_hash AND COALESCE(l.gone_release, 0) <> COALESCE(g.gone_release, 0)
