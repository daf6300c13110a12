-- long_tuples
CREATE TEMP TABLE "lo'ng" AS
SELECT
  "key_0",
  COUNT(*) AS row_count,
  MAX(nth) + 1 AS up_to
FROM "numb'ered" AS s
WHERE "key_0" IN (SELECT least_key FROM "par'ts of rows" AS p WHERE least_key = greatest_key)
GROUP BY "key_0"
