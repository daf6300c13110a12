-- interval_classes
SELECT
  SUM(CASE WHEN "size" >= 2 THEN 1 ELSE 0 END) AS classes,
  MIN(CASE WHEN "size" >= 2 THEN size END) AS smallest,
  SUM(CASE WHEN "size" >= 2 THEN row_count * row_count ELSE 0 END) AS squares,
  SUM(CASE WHEN "size" >= 2 THEN row_count ELSE 0 END) AS kept
FROM (
  SELECT
    CAST(SUM(w.row_count) AS BIGINT) AS row_count,
    CAST(SUM("w".row_count) AS BIGINT) AS "size"
  FROM "places, targe't" AS w
  JOIN (SELECT DISTINCT place, code FROM "part ma'p 0" AS m) AS "p_0" ON "p_0".place = w."place_0"
  JOIN (SELECT DISTINCT place, code FROM "part ma'p 1" AS m) AS "p_1" ON "p_1".place = w."place_1"
  GROUP BY "p_0".code, "p_1".code
) AS c
