-- released_intervals
CREATE TEMP TABLE "told pa'rts" AS
SELECT
  a.value,
  b."low_of_0" AS "low",
  b."high_of_0" AS "high",
  CAST(DENSE_RANK() OVER (ORDER BY b."low_of_0", b."high_of_0") AS INTEGER) AS code
FROM "line; 0" AS a
JOIN "told of one'" AS b ON a.place BETWEEN b."low_0" AND b."high_0"
