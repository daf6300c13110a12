-- add_fresh
INSERT INTO "ledger; --" (
  row_hash, class_hash, content_hash,
  person_hash,
  "dis'ease",
  seen_release, birth_release
)
SELECT
  f.row_hash,
  f.class_hash,
  f.content_hash,
  f.person_hash,
  "f"."sensitive_1",
  f.seen_release,
  CASE WHEN u.class_hash IS NULL THEN 1 END
FROM "fresh; --" AS f
LEFT JOIN "held; --" AS u ON u.class_hash = f.class_hash
