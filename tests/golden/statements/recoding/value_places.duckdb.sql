-- value_places-nodes
CREATE TEMP TABLE "value_places 1-nodes" AS
SELECT
  value,
  CAST(DENSE_RANK() OVER (ORDER BY CASE WHEN value IS NULL THEN 0 ELSE 1 END, encode(CAST("value" AS VARCHAR))) AS INTEGER) AS place
FROM (SELECT DISTINCT "se""x" AS value FROM "the source; DROP TABLE x") AS d
