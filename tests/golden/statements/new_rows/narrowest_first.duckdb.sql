-- narrowest_first
CREATE TEMP TABLE "narrow'est" AS
SELECT
  ROW_NUMBER() OVER (ORDER BY CAST(FLOOR("width_0" * 1000000000 + 0.5) AS BIGINT) + CAST(FLOOR("width_1" * 1000000000 + 0.5) AS BIGINT) + CAST(FLOOR("width_2" * 1000000000 + 0.5) AS BIGINT), region) AS region,
  "low_0",
  "high_0",
  "low_1",
  "high_1",
  "level_2",
  "node_2",
  row_count
FROM (
  SELECT
    MIN(region) AS region,
    "low_0",
    "high_0",
    MIN("width_0") AS "width_0",
    "low_1",
    "high_1",
    MIN("width_1") AS "width_1",
    "level_2",
    "node_2",
    MIN("width_2") AS "width_2",
    CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM "en'ds" AS r
  GROUP BY "low_0", "high_0", "low_1", "high_1", "level_2", "node_2"
) AS b
