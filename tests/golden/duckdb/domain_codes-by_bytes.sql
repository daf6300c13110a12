CREATE TEMP TABLE "codes by bytes" AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY CASE WHEN value IS NULL THEN 0 ELSE 1 END, encode(CAST("value" AS VARCHAR))) AS INTEGER) AS code
FROM (SELECT DISTINCT "dis'ease" AS value FROM "the source; DROP TABLE x") AS d
