-- simulated_fresh
CREATE TEMP TABLE "fresh; again" AS
SELECT
  l.row_hash,
  l.person_hash,
  l.class_hash,
  l.content_hash,
  l."dis'ease",
  l."dis'ease" AS "sensitive_1",
  l.seen_release
FROM "ledger; --" AS l
WHERE l.birth_release IS NULL
UNION ALL
SELECT
  MD5(t.row_hash || CAST(3 AS VARCHAR)),
  MD5(t.person_hash || CAST(3 AS VARCHAR)),
  t.class_hash,
  t.content_hash,
  t."dis'ease",
  t."dis'ease",
  3
FROM (
  SELECT
    l.*,
    ROW_NUMBER() OVER (ORDER BY MD5(l.row_hash || 'new' || CAST(3 AS VARCHAR)), l.row_hash) AS place
  FROM "ledger; --" AS l
  WHERE l.seen_release > 0 AND l.seen_release <= 2
) AS t
WHERE t.place <= 2
