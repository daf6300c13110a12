-- apportioned
CREATE TEMP TABLE "o'ther-apportioned" AS
WITH values_of_places AS (
  SELECT
    place,
    value,
    CAST("u"."value" AS VARCHAR) AS label
  FROM (
    SELECT
      place,
      value,
      ROW_NUMBER() OVER (PARTITION BY place ORDER BY encode(CAST("a"."value" AS VARCHAR))) AS nth
    FROM "tr'ee" AS a
  ) AS u
  WHERE nth = 1
)
SELECT
  s.region,
  t.place,
  t.value
FROM "sho'wn" AS s
LEFT JOIN "apportioned_movable' 8" AS m
  ON m.quasi = s.quasi
  AND m.region = s.region
JOIN values_of_places AS t ON t.place = COALESCE(m.place, s.place)
WHERE s.quasi = 2
