-- rows_with_path
SELECT COALESCE(SUM(CASE WHEN d.value IS NOT NULL AND "p"."level_4" IS NOT NULL THEN d.row_count ELSE 0 END), 0) AS row_count
FROM "of codes" AS d
JOIN "codes of paths" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"
