-- banded_values
CREATE TEMP TABLE "measu'red bands 0" AS
SELECT
  v.value,
  v.own,
  v.label,
  CASE WHEN v.value IS NULL THEN -4611686018427387904 ELSE CAST(FLOOR(CAST("v"."number" AS DOUBLE) / CAST(10000000 AS DOUBLE)) AS BIGINT) END AS bin
FROM "measu'red values se""x" AS v
