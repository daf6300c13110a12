-- unseen_rows
CREATE TEMP TABLE "unseen; --" AS
SELECT
  r.*,
  COALESCE(c.seen_release, 2) AS seen_release
FROM "first live; --" AS r
JOIN "changed; --" AS c ON c.live_hash = r.row_hash AND c.birth_release IS NULL
LEFT JOIN (
  SELECT l.row_hash
  FROM "ledger; --" AS l
  JOIN "changed; --" AS c ON c.live_hash = l.row_hash
  WHERE l.death_release IS NOT NULL
) AS d ON d.row_hash = r.row_hash
WHERE d.row_hash IS NULL
