-- domain_codes
CREATE TEMP TABLE "values dis'ease" AS
SELECT
  value,
  CASE WHEN value IS NOT NULL THEN CAST(DENSE_RANK() OVER (ORDER BY value) AS INTEGER) END AS code
FROM (SELECT DISTINCT "dis'ease" AS value FROM "the source; DROP TABLE x") AS d
