-- add_fresh
INSERT INTO "ledger; --" (
  row_hash, person_hash, class_hash, content_hash,
  "dis'ease",
  seen_release, birth_release, gone_release, death_release
)
SELECT
  f.row_hash,
  f.person_hash AS person_hash,
  f.class_hash,
  f.content_hash,
  "f"."sensitive_1" AS "dis'ease",
  f.seen_release,
  CASE WHEN u.class_hash IS NULL THEN 1 END AS birth_release,
  CAST(NULL AS INTEGER) AS gone_release,
  CAST(NULL AS INTEGER) AS death_release
FROM "fresh; --" AS f
LEFT JOIN "held; --" AS u ON u.class_hash = f.class_hash
