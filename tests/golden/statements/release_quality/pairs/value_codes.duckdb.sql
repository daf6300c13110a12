-- value_codes
CREATE TEMP TABLE "measu'red codes se""x" AS
SELECT
  value,
  COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS own,
  ROW_NUMBER() OVER (ORDER BY encode(CAST("d"."value" AS VARCHAR))) AS code
FROM "domain se""x" AS d
WHERE row_count > 0
