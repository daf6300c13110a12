-- assigned_intervals
CREATE TEMP TABLE "spo'ts 0" AS
SELECT
  a.place,
  MIN("a"."place") AS coordinate,
  MIN(CAST(c.part AS BIGINT)) AS part
FROM "line; 0" AS a
JOIN "two cu'ts" AS c ON c.quasi = 0 AND a.place BETWEEN c.low AND c.high
GROUP BY a.place
