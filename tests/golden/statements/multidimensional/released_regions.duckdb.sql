-- released_regions-part_0
CREATE TEMP TABLE "bo'xes 0" AS
SELECT
  r.region,
  CASE WHEN r."low_0" >= 0 THEN "l0".value END AS "low_of_0",
  CASE WHEN r."low_0" >= 0 THEN "h0".value END AS "high_of_0",
  CAST(FLOOR(r."width_0" * 1000000000 + 0.5) AS BIGINT) AS "width_0",
  r.row_count
FROM "ends 0" AS r
JOIN (SELECT place, MIN(value) AS value FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = r."low_0"
JOIN (SELECT place, MAX(value) AS value FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = r."high_0"
