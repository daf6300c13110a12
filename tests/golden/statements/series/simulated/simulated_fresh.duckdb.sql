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
  CAST(unhex("t"."drawn_row") AS UUID),
  CAST(unhex("t"."drawn_person") AS UUID),
  t.class_hash,
  t.content_hash,
  t."dis'ease",
  t."dis'ease",
  3
FROM (
  SELECT
    l.*,
    MD5(REPLACE(CAST("l"."row_hash" AS VARCHAR), '-', '') || CAST(3 AS VARCHAR)) AS drawn_row,
    MD5(REPLACE(CAST("l"."person_hash" AS VARCHAR), '-', '') || CAST(3 AS VARCHAR)) AS drawn_person,
    ROW_NUMBER() OVER (
      ORDER BY MD5(REPLACE(CAST("l"."row_hash" AS VARCHAR), '-', '') || 'new' || CAST(3 AS VARCHAR)), l.row_hash
    ) AS place
  FROM "ledger; --" AS l
  WHERE l.seen_release > 0 AND l.seen_release <= 2
) AS t
WHERE t.place <= 2
