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
FROM "apportioned_after' 14" AS s
JOIN values_of_places AS t ON t.place = s.place
WHERE s.quasi = 2
