-- duckdb, postgres
CREATE TEMP TABLE "two cu'ts" AS
SELECT
  0 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  COALESCE(LEAD(s.low) OVER (ORDER BY s.low) - 1, (SELECT MAX(e."place_0") FROM "places, targe't" AS e)) AS high
FROM (
  SELECT DISTINCT c."place_0" AS low
  FROM "places, targe't" AS c
) AS s
UNION ALL
SELECT
  1 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  COALESCE(LEAD(s.low) OVER (ORDER BY s.low) - 1, (SELECT MAX(e."place_1") FROM "places, targe't" AS e)) AS high
FROM (
  SELECT DISTINCT c."place_1" AS low
  FROM "places, targe't" AS c
) AS s

-- spark
CREATE TEMP VIEW `two cu'ts` AS
SELECT
  0 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  COALESCE(LEAD(s.low) OVER (ORDER BY s.low) - 1, (SELECT MAX(e.`place_0`) FROM `places, targe't` AS e)) AS high
FROM (
  SELECT DISTINCT c.`place_0` AS low
  FROM `places, targe't` AS c
) AS s
UNION ALL
SELECT
  1 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  COALESCE(LEAD(s.low) OVER (ORDER BY s.low) - 1, (SELECT MAX(e.`place_1`) FROM `places, targe't` AS e)) AS high
FROM (
  SELECT DISTINCT c.`place_1` AS low
  FROM `places, targe't` AS c
) AS s
