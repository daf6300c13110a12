-- values_of_units
CREATE TEMP TABLE "measu'red days" AS
SELECT
  a.value,
  COALESCE('v' || decode(encode(CAST("a"."value" AS VARCHAR))), '') AS own,
  a.place,
  CASE WHEN regexp_full_match(CAST("a"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("a"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("a"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("a"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END AS number,
  COALESCE('v' || decode(encode(CAST("u"."low" AS VARCHAR))), '') AS label
FROM "line by units" AS a
LEFT JOIN "uni'ts" AS u ON u.place = a.place
