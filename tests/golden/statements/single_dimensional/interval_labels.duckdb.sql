-- interval_labels
CREATE TEMP TABLE "part ma'p 0" AS
SELECT
  a.value,
  a.place,
  b."low_of_0" AS "low",
  b."high_of_0" AS "high",
  CAST(DENSE_RANK() OVER (ORDER BY b."low_of_0", b."high_of_0") AS INTEGER) AS code
FROM "line; 0" AS a
JOIN "ends 0" AS r ON "a"."place" BETWEEN r.low_0 AND r.high_0
JOIN "bo'xes 0" AS b ON b.region = r.region
