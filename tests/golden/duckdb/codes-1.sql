CREATE TEMP TABLE "codes zip; --" AS
SELECT
  value,
  CAST(0 + "ordinal_0" * 4 + "ordinal_1" * 8 AS BIGINT) AS "key_1",
  "leaves_1",
  "leaves_2"
FROM "map zip; --" AS m
