-- mark_gone
UPDATE "ledger; --" AS l
SET gone_release = a.gone_release
FROM (
  SELECT
    row_hash,
    gone_release
  FROM "alive; --" AS a
  WHERE COALESCE(a.gone_release, 0) <> COALESCE(a.gone_before, 0)
) AS a
WHERE l.row_hash = a.row_hash
