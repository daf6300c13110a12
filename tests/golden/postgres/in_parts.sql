CREATE TEMP TABLE "in pa'rts 0" AS
SELECT
  CAST(c.part AS BIGINT) AS region,
  "a"."place" AS place_0,
  d.row_count
FROM "line; 0" AS a
JOIN "domain of ages" AS d ON ARRAY["a"."value"] = ARRAY["d"."value"]
JOIN "two cu'ts" AS c ON c.quasi = 0 AND a.place BETWEEN c.low AND c.high
