-- count_strange
SELECT COUNT(*) AS strange
FROM "contents; --" AS c
FULL JOIN (
  SELECT
    content_hash,
    COUNT(*) AS copies
  FROM "ledger; --" AS a
  WHERE a.birth_release IS NOT NULL AND a.death_release IS NULL
  GROUP BY content_hash
) AS a ON a.content_hash = c.content_hash
WHERE COALESCE(c.series_copies, 0) <> COALESCE(a.copies, 0)
