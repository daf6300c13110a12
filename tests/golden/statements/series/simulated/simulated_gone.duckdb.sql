-- simulated_gone
CREATE TEMP TABLE "gone; again" AS
SELECT
  row_hash,
  class_hash,
  birth_release,
  COALESCE(gone_release, 3) AS gone_release,
  1 AS leaving
FROM (
  SELECT
    l.*,
    ROW_NUMBER() OVER (
      ORDER BY CASE WHEN l.gone_release IS NULL THEN 0 ELSE 1 END, MD5(REPLACE(CAST("l"."row_hash" AS VARCHAR), '-', '') || CAST(3 AS VARCHAR)), l.row_hash
    ) AS place
  FROM "ledger; --" AS l
  WHERE l.birth_release IS NOT NULL AND l.death_release IS NULL
) AS t
WHERE place <= 1 OR gone_release IS NOT NULL
