-- region_boxes
CREATE TEMP TABLE "bo'xes" AS
SELECT
  ROW_NUMBER() OVER (ORDER BY "low_0", "high_0", "low_1", "high_1", "low_2", "high_2") AS region,
  "low_0",
  "high_0",
  "low_1",
  "high_1",
  "low_2",
  "high_2"
FROM (
  SELECT DISTINCT
    CAST("low_0" AS BIGINT) AS "low_0",
    CAST("high_0" AS BIGINT) AS "high_0",
    CAST("low_1" AS BIGINT) AS "low_1",
    CAST("high_1" AS BIGINT) AS "high_1",
    CAST("node_2" AS BIGINT) AS "low_2",
    CAST("node_2" + CASE "level_2" WHEN 0 THEN CAST(0 AS BIGINT) WHEN 1 THEN CAST(576460752303423488 AS BIGINT) WHEN 2 THEN CAST(4035225266123964416 AS BIGINT) END AS BIGINT) AS "high_2"
  FROM "re'gions" AS r
) AS b
