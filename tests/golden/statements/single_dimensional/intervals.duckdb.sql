-- intervals
CREATE TEMP TABLE "cu;ts" AS
SELECT
  0 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  s.high
FROM (
  SELECT
    MIN(c.place) AS low,
    MAX(c.place) AS high
  FROM "cu't 2" AS c
  GROUP BY c.part
) AS s
UNION ALL
SELECT
  1 AS quasi,
  CAST(ROW_NUMBER() OVER (ORDER BY s.low) - 1 AS INTEGER) AS part,
  s.low,
  s.high
FROM (
  SELECT
    MIN(c.place) AS low,
    MAX(c.place) AS high
  FROM "cu't 3" AS c
  GROUP BY c.part
) AS s
