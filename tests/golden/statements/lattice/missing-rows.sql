-- duckdb, postgres
SELECT COALESCE(SUM(t.row_count), 0) AS missing
FROM "all-rows at once" AS t
WHERE NOT EXISTS (
  SELECT 1
  FROM "fits-rows at once" AS f
  WHERE f."key_1" = t."key_1" AND f."key_2" = t."key_2"
)

-- spark
SELECT COALESCE(SUM(t.row_count), 0) AS missing
FROM `all-rows at once` AS t
WHERE NOT EXISTS (
  SELECT 1
  FROM `fits-rows at once` AS f
  WHERE f.`key_1` = t.`key_1` AND f.`key_2` = t.`key_2`
)
