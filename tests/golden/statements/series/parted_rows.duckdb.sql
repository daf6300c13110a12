-- parted_rows
CREATE TEMP TABLE "parted; --" AS
SELECT
  a.*,
  CASE WHEN a.gone_release IS NULL THEN 0 ELSE 1 END AS leaving,
  c.first_gone,
  c.gone_rows,
  c.cell_rows
FROM "alive; --" AS a
JOIN (
  SELECT
    class_hash,
    birth_release,
    MIN(gone_release) AS first_gone,
    COUNT(gone_release) AS gone_rows,
    COUNT(*) AS cell_rows
  FROM "alive; --" AS a
  GROUP BY class_hash, birth_release
  HAVING COUNT(gone_release) > 0
) AS c ON c.class_hash = a.class_hash AND c.birth_release = a.birth_release
