-- survey_line
SELECT
  COUNT(*) - COUNT(place) AS without_place,
  MAX(place) AS last_place,
  SUM(CASE WHEN measure - least = place THEN 0 ELSE 1 END) AS uneven,
  COUNT(place) - COUNT(DISTINCT place) AS sharing
FROM "line; 0" AS a
CROSS JOIN (
  SELECT MIN(measure) AS least
  FROM "line; 0" AS m
  WHERE value IS NOT NULL
) AS f
WHERE value IS NOT NULL
