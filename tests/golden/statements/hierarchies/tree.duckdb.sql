-- tree
CREATE TEMP TABLE "tr'ee" AS
SELECT
  value,
  CAST(0 + CAST("ordinal_1" AS BIGINT) * 1152921504606846976 + CAST("ordinal_0" AS BIGINT) * 576460752303423488 AS BIGINT) AS place,
  "level_1",
  "leaves_1",
  "level_2",
  "leaves_2"
FROM "map zip; --" AS m
