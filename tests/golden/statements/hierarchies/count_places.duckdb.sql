-- count_places
SELECT COUNT(DISTINCT place) AS places
FROM "line al'ong" AS a
