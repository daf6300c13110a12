-- banded_values
CREATE TEMP TABLE "measu'red bands 0" AS
SELECT DISTINCT
  v.value,
  v.own,
  v.label,
  b.bin
FROM "measu'red values se""x" AS v
JOIN (
  SELECT
    own,
    MIN(CASE WHEN value IS NULL THEN -4611686018427387904 ELSE CAST(FLOOR(CAST(CASE WHEN regexp_full_match(CAST("d"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END AS DOUBLE) / CAST(10000000 AS DOUBLE)) AS BIGINT) END) AS bin
  FROM (
    SELECT DISTINCT
      own,
      value
    FROM "measu'red values se""x"
  ) AS d
  GROUP BY own
) AS b ON b.own = v.own
