CREATE TEMP TABLE "line by units-step" AS
SELECT
  o.value,
  CASE WHEN o.value IS NULL THEN CAST(-1 AS INTEGER) ELSE u.place END AS place,
  u.measure,
  u.span
FROM (
SELECT
  value,
  CAST(spot - (spot % 5 + 5) % 5 AS BIGINT) AS low
FROM (
  SELECT value, CAST(CASE WHEN regexp_full_match(CAST("d"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1 + CAST(FLOOR((TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("d"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1) AS HUGEINT) END AS DECIMAL(24, 0)) AS spot
  FROM "domain of ages" AS d
) AS s) AS o
LEFT JOIN "uni'ts-step" AS u ON u.low = o.low
