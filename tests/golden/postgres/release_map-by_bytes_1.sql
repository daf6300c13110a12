CREATE TEMP TABLE "map by bytes 1" AS
SELECT
  d.value,
  p."level_1" AS "label",
  CAST(DENSE_RANK() OVER (ORDER BY (CAST("p"."level_1" AS TEXT) COLLATE "C") NULLS FIRST) AS INTEGER) AS "code"
FROM "domain zip; --" AS d
JOIN "complete zip; --" AS p
  ON ARRAY["d"."value"] = ARRAY["p"."value"]
