-- duckdb, postgres
SELECT
  COUNT(*) - COUNT(place) AS without_place,
  MAX(place) AS last_place,
  SUM(CASE WHEN measure - least = place THEN 0 ELSE 1 END) AS uneven,
  COUNT(place) - COUNT(DISTINCT place) AS sharing
FROM (
  SELECT place, measure, MIN(measure) OVER () AS least
  FROM "line; 0" AS a
  WHERE value IS NOT NULL
) AS m

-- spark
SELECT
  COUNT(*) - COUNT(place) AS without_place,
  MAX(place) AS last_place,
  SUM(CASE WHEN measure - least = place THEN 0 ELSE 1 END) AS uneven,
  COUNT(place) - COUNT(DISTINCT place) AS sharing
FROM (
  SELECT place, measure, MIN(measure) OVER () AS least
  FROM `line; 0` AS a
  WHERE value IS NOT NULL
) AS m
