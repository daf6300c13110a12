-- duckdb, postgres
CREATE TEMP TABLE "two cu'ts" AS
SELECT
  0 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  s.high
FROM (
  SELECT
    MIN(c."place_0") AS low,
    MAX(c."place_0") AS high
  FROM "places, targe't" AS c
  GROUP BY c."place_0"
) AS s
UNION ALL
SELECT
  1 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  s.high
FROM (
  SELECT
    MIN(c."place_1") AS low,
    MAX(c."place_1") AS high
  FROM "places, targe't" AS c
  GROUP BY c."place_1"
) AS s

-- spark
CREATE TEMP VIEW `two cu'ts` AS
SELECT
  0 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  s.high
FROM (
  SELECT
    MIN(c.`place_0`) AS low,
    MAX(c.`place_0`) AS high
  FROM `places, targe't` AS c
  GROUP BY c.`place_0`
) AS s
UNION ALL
SELECT
  1 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  s.high
FROM (
  SELECT
    MIN(c.`place_1`) AS low,
    MAX(c.`place_1`) AS high
  FROM `places, targe't` AS c
  GROUP BY c.`place_1`
) AS s
