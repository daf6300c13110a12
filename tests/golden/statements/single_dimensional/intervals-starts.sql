-- duckdb, postgres
CREATE TEMP TABLE "cu;ts by starts" AS
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
  COALESCE(LEAD(s.low) OVER (ORDER BY s.low) - 1, (SELECT MAX(e."place_1") FROM "tup;les" AS e)) AS high
FROM (
  SELECT DISTINCT c."place_1" AS low
  FROM "tup;les" AS c
) AS s
UNION ALL
SELECT
  2 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  COALESCE(LEAD(s.low) OVER (ORDER BY s.low) - 1, (SELECT MAX(e."place_2") FROM "tup;les" AS e)) AS high
FROM (
  SELECT DISTINCT c."part_2" AS low
  FROM "fewer" AS c
) AS s

-- spark
CREATE TEMP VIEW `cu;ts by starts` AS
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
  COALESCE(LEAD(s.low) OVER (ORDER BY s.low) - 1, (SELECT MAX(e.`place_1`) FROM `tup;les` AS e)) AS high
FROM (
  SELECT DISTINCT c.`place_1` AS low
  FROM `tup;les` AS c
) AS s
UNION ALL
SELECT
  2 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  COALESCE(LEAD(s.low) OVER (ORDER BY s.low) - 1, (SELECT MAX(e.`place_2`) FROM `tup;les` AS e)) AS high
FROM (
  SELECT DISTINCT c.`part_2` AS low
  FROM `fewer` AS c
) AS s
