-- due_rows
CREATE TEMP TABLE "due; --" AS
SELECT
  p."row_hash",
  p."person_hash",
  p."class_hash",
  p."content_hash",
  p."birth_release",
  p.gone_rows,
  p.cell_rows,
  ROW_NUMBER() OVER (
    PARTITION BY p.class_hash, p.birth_release
    ORDER BY 1 - p.leaving, MD5(p.row_hash || CAST(2 AS VARCHAR)), p.row_hash
  ) AS place
FROM "parted; --" AS p
JOIN "unfit; --" AS u ON u.class_hash = p.class_hash AND u.birth_release = p.birth_release
WHERE p.first_gone <= 2
