-- count_alike
SELECT
  COALESCE(SUM(copies), 0) AS drawn,
  COUNT(*) AS different
FROM (
  SELECT COUNT(*) AS copies
  FROM "live; --" AS r
  WHERE row_hash < CAST(unhex('10000000000000000000000000000000') AS UUID)
  GROUP BY "se""x", "zip; --"
) AS d
