-- alive_rows
CREATE TEMP VIEW "alive; --" AS
SELECT
  l.row_hash,
  l.class_hash,
  l.birth_release,
  l.person_hash,
  l."dis'ease",
  g.gone_release,
  COALESCE(g.leaving, 0) AS leaving
FROM "ledger; --" AS l
LEFT JOIN "gone; --" AS g ON g.row_hash = l.row_hash
WHERE l.birth_release IS NOT NULL AND l.death_release IS NULL
