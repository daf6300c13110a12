-- changed_rows
CREATE TEMP TABLE "changed; --" AS
SELECT
  r.row_hash AS live_hash,
  l.row_hash AS known_hash,
  l.class_hash,
  l.seen_release,
  l.birth_release,
  l.gone_release
FROM (
  SELECT
    row_hash,
    class_hash,
    seen_release,
    birth_release,
    gone_release
  FROM "ledger; --" AS k
  WHERE death_release IS NULL
) AS l
FULL JOIN "first live; --" AS r ON r.row_hash = l.row_hash
WHERE CASE
  WHEN r.row_hash IS NULL THEN 1
  WHEN l.birth_release IS NULL THEN 1
  WHEN l.gone_release IS NULL THEN 0
  ELSE 1
END = 1
