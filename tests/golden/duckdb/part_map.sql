CREATE TEMP TABLE "part ma'p 0" AS
SELECT
  a.value,
  a.place,
  b."low_of_0" AS "low",
  b."high_of_0" AS "high",
  CAST(DENSE_RANK() OVER (ORDER BY b."low_of_0", b."high_of_0") AS INTEGER) AS code
FROM "line; 0" AS a
JOIN "two cu'ts" AS c ON c.quasi = 0 AND a.place BETWEEN c.low AND c.high
JOIN "bo'xes 0" AS b ON b.region = c.part
