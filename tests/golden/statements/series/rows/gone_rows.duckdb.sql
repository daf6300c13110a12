-- gone_rows
CREATE TEMP TABLE "gone; --" AS
SELECT
  known_hash AS row_hash,
  class_hash,
  birth_release,
  CASE WHEN live_hash IS NULL THEN COALESCE(gone_release, 2) END AS gone_release,
  CASE WHEN live_hash IS NULL THEN 1 ELSE 0 END AS leaving
FROM "changed; --" AS c
WHERE birth_release IS NOT NULL
