-- alive_rows
CREATE TEMP TABLE "alive; --" AS
SELECT
  l.row_hash,
  l.class_hash,
  l.birth_release,
  l.person_hash,
  l."dis'ease",
  CASE WHEN r.row_hash IS NULL THEN COALESCE(l.gone_release, 2) END AS gone_release,
  CASE WHEN r.row_hash IS NULL THEN 1 ELSE 0 END AS leaving,
  CASE
    WHEN r.row_hash IS NULL AND l.gone_release IS NULL THEN 1
    WHEN r.row_hash IS NOT NULL AND l.gone_release IS NOT NULL THEN 1
    ELSE 0
  END AS noticed
FROM "ledger; --" AS l
LEFT JOIN "first live; --" AS r ON r.row_hash = l.row_hash
WHERE l.birth_release IS NOT NULL AND l.death_release IS NULL
