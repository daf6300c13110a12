-- leaving_rows
CREATE TEMP TABLE "leaving; --" AS
SELECT
  l.row_hash,
  l.content_hash
FROM (
  SELECT p.row_hash
  FROM "gone; --" AS p
  LEFT JOIN "unfit; --" AS u ON u.class_hash = p.class_hash AND u.birth_release = p.birth_release
  WHERE p.leaving = 1 AND u.class_hash IS NULL
  UNION ALL
  SELECT p.row_hash
  FROM "tried; --" AS p
  LEFT JOIN "after; --" AS u ON u.class_hash = p.class_hash AND u.birth_release = p.birth_release
  WHERE p.leaving = 1 AND u.class_hash IS NULL
) AS p
JOIN "ledger; --" AS l ON l.row_hash = p.row_hash
