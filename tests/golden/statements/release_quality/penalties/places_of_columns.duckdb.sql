-- places_of_columns
SELECT
  0 AS quasi,
  COUNT(DISTINCT place) AS places
FROM "measu'red values se""x"
UNION ALL
SELECT
  1 AS quasi,
  COUNT(DISTINCT place) AS places
FROM "measu'red values zip; --"
UNION ALL
SELECT
  2 AS quasi,
  COUNT(DISTINCT place) AS places
FROM "measu'red values age
of 👩"
UNION ALL
SELECT
  3 AS quasi,
  COUNT(DISTINCT place) AS places
FROM "measu'red values SELECT"
ORDER BY quasi
