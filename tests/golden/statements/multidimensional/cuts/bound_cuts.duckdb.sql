-- bound_cuts-distinct
CREATE TEMP TABLE "sides by val'ues" AS
SELECT
  region,
  axis,
  part AS cut,
  MIN("low_0") OVER so_far AS "low_0",
  MAX("high_0") OVER so_far AS "high_0",
  CAST(SUM("first_0") OVER so_far AS BIGINT) AS "different_0",
  MIN("low_1") OVER so_far AS "low_1",
  MAX("high_1") OVER so_far AS "high_1",
  CAST(SUM("first_1") OVER so_far AS BIGINT) AS "different_1",
  MIN("low_2") OVER so_far AS "low_2",
  MAX("high_2") OVER so_far AS "high_2",
  CAST(SUM("first_2") OVER so_far AS BIGINT) AS "different_2",
  CAST(SUM(row_count) OVER so_far AS BIGINT) AS row_count
FROM "parts by val'ues" AS p
WHERE level = 0
WINDOW so_far AS (PARTITION BY region, axis ORDER BY part ROWS UNBOUNDED PRECEDING)
UNION ALL
SELECT *
FROM (
  SELECT
    region,
    axis,
    part AS cut,
    MIN("low_0") OVER beyond AS "low_0",
    MAX("high_0") OVER beyond AS "high_0",
    CAST(SUM("last_0") OVER beyond AS BIGINT) AS "different_0",
    MIN("low_1") OVER beyond AS "low_1",
    MAX("high_1") OVER beyond AS "high_1",
    CAST(SUM("last_1") OVER beyond AS BIGINT) AS "different_1",
    MIN("low_2") OVER beyond AS "low_2",
    MAX("high_2") OVER beyond AS "high_2",
    CAST(SUM("last_2") OVER beyond AS BIGINT) AS "different_2",
    CAST(SUM(row_count) OVER beyond AS BIGINT) AS row_count
  FROM "parts by val'ues" AS p
  WHERE level = 0
  WINDOW beyond AS (PARTITION BY region, axis ORDER BY part DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
) AS b
WHERE row_count IS NOT NULL
UNION ALL
SELECT
  region,
  axis,
  0 AS cut,
  "low_0",
  "high_0",
  "different_0",
  "low_1",
  "high_1",
  "different_1",
  "low_2",
  "high_2",
  "different_2",
  row_count
FROM "parts by val'ues" AS p
WHERE level > 0
