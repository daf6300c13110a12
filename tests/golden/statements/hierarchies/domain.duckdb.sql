-- domain
CREATE TEMP TABLE "domain se""x" AS
SELECT
  "se""x" AS value,
  COUNT(*) AS row_count
FROM "the source; DROP TABLE x"
GROUP BY "se""x"
