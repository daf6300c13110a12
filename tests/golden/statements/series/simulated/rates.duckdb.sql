-- rates
SELECT
  COUNT(CASE WHEN l.seen_release > 1 THEN 1 END) AS came,
  COUNT(CASE WHEN l.gone_release > 1 THEN 1 END) AS went,
  MIN(r.released_at) AS first_at
FROM "ledger; --" AS l
CROSS JOIN (
  SELECT released_at
  FROM "releases; --" AS s
  WHERE number = 1
) AS r
