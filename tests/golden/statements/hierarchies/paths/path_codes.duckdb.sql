-- path_codes-view
CREATE TEMP VIEW "one's codes" AS
SELECT
  value,
  CAST(0 + CAST("ordinal_0" AS BIGINT) * 1 AS BIGINT) AS "key_1",
  "leaves_1"
FROM "one's map" AS m
