-- duckdb, postgres
CREATE TEMP TABLE "cu;ts" AS
SELECT
  0 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  COALESCE(LEAD(s.low) OVER (ORDER BY s.low) - 1, (SELECT MAX(e."place_0") FROM "tup;les" AS e)) AS high
FROM (
  SELECT DISTINCT c."part_0" AS low
  FROM "fewer" AS c
) AS s
UNION ALL
SELECT
  1 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  s.high
FROM (
  SELECT
    MIN(c."place") AS low,
    MAX(c."place") AS high
  FROM "cu't 3" AS c
  GROUP BY c."part"
) AS s

-- spark
CREATE TEMP VIEW `cu;ts` AS
SELECT
  0 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  COALESCE(LEAD(s.low) OVER (ORDER BY s.low) - 1, (SELECT MAX(e.`place_0`) FROM `tup;les` AS e)) AS high
FROM (
  SELECT DISTINCT c.`part_0` AS low
  FROM `fewer` AS c
) AS s
UNION ALL
SELECT
  1 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  s.high
FROM (
  SELECT
    MIN(c.`place`) AS low,
    MAX(c.`place`) AS high
  FROM `cu't 3` AS c
  GROUP BY c.`part`
) AS s
