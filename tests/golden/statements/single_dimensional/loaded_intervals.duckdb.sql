-- loaded_intervals
CREATE TEMP TABLE "loaded cu'ts" AS
SELECT
  CAST(value AS INTEGER) AS quasi,
  CAST(part AS INTEGER) AS part,
  CAST(low AS INTEGER) AS low,
  CAST(high AS INTEGER) AS high
FROM "lo'aded" AS l
