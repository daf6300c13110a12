-- region_ends
SELECT
  COALESCE(SUM(CASE WHEN alike = 1 THEN 1 ELSE 0 END), 0) AS alike,
  COALESCE(SUM(CASE WHEN alike = 1 THEN row_count ELSE 0 END), 0) AS alike_rows,
  COALESCE(SUM(CASE WHEN alike = 0 AND held < 4 THEN 1 ELSE 0 END), 0) AS small,
  COALESCE(SUM(CASE WHEN alike = 0 AND held < 4 THEN row_count ELSE 0 END), 0) AS small_rows,
  COALESCE(SUM(CASE WHEN alike = 0 AND held >= 4 THEN 1 ELSE 0 END), 0) AS uncut,
  COALESCE(SUM(CASE WHEN alike = 0 AND held >= 4 THEN row_count ELSE 0 END), 0) AS uncut_rows
FROM (
  SELECT
    r.row_count,
    CASE WHEN GREATEST("r"."width_0", "r"."width_1", "r"."width_2", 0) = 0 THEN 1 ELSE 0 END AS alike,
r.row_count AS held
  FROM "re'gions" AS r
) AS c
