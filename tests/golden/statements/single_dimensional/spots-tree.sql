-- duckdb, postgres
CREATE TEMP TABLE "spo'ts 1" AS
SELECT
  a.place,
  MIN("a"."path") AS spot,
  MIN(CAST(c.part AS BIGINT)) AS part
FROM "ran'ked" AS a
JOIN "two cu'ts" AS c ON c.quasi = 1 AND a.place BETWEEN c.low AND c.high
GROUP BY a.place

-- spark
CREATE TEMP VIEW `spo'ts 1` AS
SELECT
  a.place,
  MIN(`a`.`path`) AS spot,
  MIN(CAST(c.part AS BIGINT)) AS part
FROM `ran'ked` AS a
JOIN `two cu'ts` AS c ON c.quasi = 1 AND a.place BETWEEN c.low AND c.high
GROUP BY a.place
