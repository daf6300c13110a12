-- oldest_rows
SELECT
  MIN(CASE WHEN l.birth_release IS NULL THEN s.released_at END) AS withheld_since,
  MIN(CASE WHEN l.death_release IS NULL THEN g.released_at END) AS waiting_since
FROM "ledger; --" AS l
JOIN "releases; --" AS s ON s.number = l.seen_release
LEFT JOIN "releases; --" AS g ON g.number = l.gone_release
