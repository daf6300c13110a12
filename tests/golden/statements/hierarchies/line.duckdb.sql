-- line
CREATE TEMP TABLE "line; 0" AS
SELECT
  value,
  place,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    value,
    CAST(CASE WHEN value IS NULL THEN -1 WHEN spot IS NOT NULL THEN nth END AS INTEGER) AS place,
    CASE WHEN spot IS NOT NULL THEN CAST(CAST("value" AS VARCHAR) AS DOUBLE) END AS measure
  FROM (
    SELECT
      value,
      spot,
      DENSE_RANK() OVER (ORDER BY CASE WHEN spot IS NULL THEN 1 ELSE 0 END, spot) - 1 AS nth
    FROM (
      SELECT
        d.value,
        CASE WHEN regexp_full_match(CAST("d"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000000000000 + CAST(FLOOR((TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000000000000) AS HUGEINT) END AS spot
      FROM "domain of ages" AS d
    ) AS s
  ) AS r
) AS m
