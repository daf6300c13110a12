-- leaving_rows
CREATE TEMP TABLE "leaving; --" AS
SELECT
  p.row_hash,
  p.content_hash
FROM "parted; --" AS p
LEFT JOIN "unfit; --" AS u ON u.class_hash = p.class_hash AND u.birth_release = p.birth_release
WHERE p.leaving = 1 AND u.class_hash IS NULL
UNION ALL
SELECT
  p.row_hash,
  p.content_hash
FROM "tried; --" AS p
LEFT JOIN "after; --" AS u ON u.class_hash = p.class_hash AND u.birth_release = p.birth_release
WHERE p.leaving = 1 AND u.class_hash IS NULL
