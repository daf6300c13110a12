-- due_rows
CREATE TEMP TABLE "due; --" AS
SELECT
  a."row_hash",
  a."class_hash",
  a."birth_release",
  c.gone_rows,
  c.cell_rows,
  ROW_NUMBER() OVER (
    PARTITION BY a.class_hash, a.birth_release
    ORDER BY 1 - a.leaving, MD5(REPLACE(CAST("a"."row_hash" AS VARCHAR), '-', '') || CAST(2 AS VARCHAR)), a.row_hash
  ) AS place
FROM "alive; --" AS a
JOIN (
  SELECT
    a.class_hash,
    a.birth_release,
    COUNT(a.gone_release) AS gone_rows,
    COUNT(*) AS cell_rows
  FROM "alive; --" AS a
  JOIN "unfit; --" AS u ON u.class_hash = a.class_hash AND u.birth_release = a.birth_release
  GROUP BY a.class_hash, a.birth_release
  HAVING MIN(a.gone_release) <= 2
) AS c ON c.class_hash = a.class_hash AND c.birth_release = a.birth_release
