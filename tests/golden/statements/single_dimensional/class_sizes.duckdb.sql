-- class_sizes-intervals
SELECT
  size AS class_size,
  COUNT(*) AS classes,
  SUM(row_count) AS class_rows
FROM (
  SELECT
    CAST(SUM(w.row_count) AS BIGINT) AS row_count,
    CAST(SUM("w".row_count) AS BIGINT) AS "size"
  FROM "places, targe't" AS w
  JOIN (SELECT DISTINCT place, code FROM "part ma'p 0" AS m) AS "p_0" ON "p_0".place = w."place_0"
  JOIN (SELECT DISTINCT place, code FROM "part ma'p 1" AS m) AS "p_1" ON "p_1".place = w."place_1"
  GROUP BY "p_0".code, "p_1".code
) AS c
WHERE "size" >= 2
GROUP BY size
ORDER BY class_size
