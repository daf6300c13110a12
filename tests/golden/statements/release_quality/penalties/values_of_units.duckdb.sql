-- values_of_units
CREATE TEMP TABLE "measu'red days" AS
SELECT
  a.value,
  COALESCE('v' || decode(encode(CAST("a"."value" AS VARCHAR))), '') AS own,
  a.place,
  COALESCE('v' || decode(encode(CAST("u"."low" AS VARCHAR))), '') AS label
FROM "line by units" AS a
LEFT JOIN "uni'ts" AS u ON u.place = a.place
