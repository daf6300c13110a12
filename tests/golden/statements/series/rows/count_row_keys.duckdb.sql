-- count_row_keys
SELECT
  COUNT(*) - COUNT(row_hash) AS without_key,
  COUNT(row_hash) - COUNT(DISTINCT row_hash) AS repeated
FROM "live; --" AS r
