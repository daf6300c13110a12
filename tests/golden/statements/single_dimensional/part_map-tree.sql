-- duckdb, postgres
CREATE TEMP TABLE "part ma'p 1" AS
SELECT
  a.value,
  a.place,
  b."label_of_0" AS "label",
  CAST(DENSE_RANK() OVER (ORDER BY b."label_of_0") AS INTEGER) AS code
FROM "ran'ked" AS a
JOIN "ends 1" AS r ON "a"."path" BETWEEN r.low_0 AND r.high_0
JOIN "bo'xes 1" AS b ON b.region = r.region

-- spark
CREATE TEMP VIEW `part ma'p 1` AS
SELECT
  a.value,
  a.place,
  b.`label_of_0` AS `label`,
  CAST(DENSE_RANK() OVER (ORDER BY b.`label_of_0`) AS INTEGER) AS code
FROM `ran'ked` AS a
JOIN `ends 1` AS r ON `a`.`path` BETWEEN r.low_0 AND r.high_0
JOIN `bo'xes 1` AS b ON b.region = r.region
