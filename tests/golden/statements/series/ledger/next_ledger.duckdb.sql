-- next_ledger
CREATE TEMP TABLE "scratch ledger; --" AS
SELECT
  f.row_hash,
  NULLIF(f.row_hash, f.row_hash) AS person_hash,
  f.class_hash,
  f.content_hash,
  "f"."sensitive_1" AS "dis'ease",
  f.seen_release,
  CASE WHEN u.class_hash IS NULL THEN 1 END AS birth_release,
  CAST(NULL AS INTEGER) AS gone_release,
  CAST(NULL AS INTEGER) AS death_release
FROM "fresh; --" AS f
LEFT JOIN "held; --" AS u ON u.class_hash = f.class_hash
