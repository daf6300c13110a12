-- sampled_tuples
CREATE TEMP TABLE "sam'ple" AS
SELECT
  w.region,
  "w"."place_0",
  "w"."place_1",
  "w"."place_2",
  CAST((chances - chances % 8) / 8 AS BIGINT) AS row_count
FROM (
  SELECT
    w.region,
    "w"."place_0",
    "w"."place_1",
    "w"."place_2",
    w.row_count + ((CAST("w"."place_0" AS BIGINT) + 1) % 2147483647 * 48271 + (CAST("w"."place_1" AS BIGINT) + 1) % 2147483647 * 160235 + (CAST("w"."place_2" AS BIGINT) + 1) % 2147483647 * 429237) % 2147483647 * 1103515245 % 2147483647 % 8 AS chances
  FROM "wor'king" AS w
) AS w
WHERE chances >= 8
