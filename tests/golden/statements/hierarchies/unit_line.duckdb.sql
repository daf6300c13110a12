-- unit_line
CREATE TEMP TABLE "line by units" AS
SELECT
  o.value,
  CASE WHEN o.value IS NULL THEN CAST(-1 AS INTEGER) ELSE u.place END AS place,
  u.measure,
  u.span
FROM (
SELECT
  value,
  MAKE_DATE(CAST(EXTRACT(YEAR FROM spot) AS INTEGER), CAST(EXTRACT(MONTH FROM spot) AS INTEGER), 1) AS low
FROM (
  SELECT value, CASE WHEN regexp_full_match(CAST("d"."value" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("d"."value" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("d"."value" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END AS spot
  FROM "domain of visits" AS d
) AS s) AS o
LEFT JOIN "uni'ts" AS u ON u.low = o.low
