-- simulated_live
CREATE TEMP TABLE "live; again" AS
SELECT row_hash
FROM (
  SELECT
    l.row_hash,
    ROW_NUMBER() OVER (ORDER BY MD5(l.row_hash || CAST(3 AS VARCHAR)), l.row_hash) AS place
  FROM "ledger; --" AS l
  WHERE l.birth_release IS NOT NULL AND l.death_release IS NULL AND l.gone_release IS NULL
) AS t
WHERE place > 1
