-- kept_tuples
CREATE TEMP TABLE "kep't" AS
WITH cut AS (
  SELECT
    w.*,
    "s_0".part AS "part_0",
    "s_1".part AS "part_1"
  FROM "places, targe't" AS w
  JOIN "spo'ts 0" AS "s_0" ON "s_0".place = w."place_0"
  JOIN "spo'ts 1" AS "s_1" ON "s_1".place = w."place_1"
)
SELECT
  p."place_0",
  p."place_1",
  p.row_count
FROM cut AS p
JOIN (
  SELECT "part_0", "part_1"
  FROM cut AS c
  GROUP BY "part_0", "part_1"
  HAVING SUM(row_count) >= 5
) AS f ON f."part_0" = p."part_0" AND f."part_1" = p."part_1"
