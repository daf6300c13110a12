-- overlaps
CREATE TEMP TABLE "over'laps" AS
SELECT
  first_class,
  second_class,
  COUNT(*) AS persons
FROM "per'sons"
GROUP BY first_class, second_class
