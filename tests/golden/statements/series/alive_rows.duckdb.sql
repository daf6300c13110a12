-- alive_rows
CREATE TEMP TABLE "alive; --" AS
SELECT
  l.row_hash,
  l.person_hash,
  l.class_hash,
  l.content_hash,
  l."dis'ease",
  l.birth_release,
  l.gone_release AS gone_before,
  CASE WHEN r.row_hash IS NULL THEN COALESCE(l.gone_release, 2) END AS gone_release
FROM "ledger; --" AS l
LEFT JOIN "first live; --" AS r ON r.row_hash = l.row_hash
WHERE l.birth_release IS NOT NULL AND l.death_release IS NULL
