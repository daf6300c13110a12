CREATE TEMP TABLE "part ma'p 1" AS
SELECT
  a.value,
  a.place,
  b."label_of_0" AS "label",
  CAST(DENSE_RANK() OVER (ORDER BY b."label_of_0") AS INTEGER) AS code
FROM "ran'ked" AS a
JOIN "two cu'ts" AS c ON c.quasi = 1 AND a.place BETWEEN c.low AND c.high
JOIN "bo'xes 1" AS b ON b.region = c.part
