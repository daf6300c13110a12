-- domain-codes
CREATE TEMP TABLE "of codes" AS
SELECT
  "zip; --" AS value,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x"
GROUP BY "zip; --"
