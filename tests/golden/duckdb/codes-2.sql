CREATE TEMP TABLE "codes age
of 👩" AS
SELECT
  value,
  CAST(0 + "ordinal_0" * 32 AS BIGINT) AS "key_1",
  CAST(0 + "ordinal_1" * 1 + "ordinal_2" * 2 AS BIGINT) AS "key_2",
  "leaves_1",
  "leaves_2",
  "leaves_3"
FROM "map age
of 👩" AS m
