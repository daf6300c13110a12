-- representatives-classes-nodes
CREATE TEMP TABLE "class_values 4-nodes" AS
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
    FROM "value_places 4-nodes" AS a
  ) AS u
  WHERE nth = 1
),
counted AS (
  SELECT
    h.region,
    h.place,
    h.row_count,
    CASE WHEN t.label IS NULL THEN 0 ELSE 1 END AS known
  FROM (
    SELECT
      region,
      "place_3" AS place,
      CAST(SUM(row_count) AS BIGINT) AS row_count
    FROM "class_tuples 1-nodes" AS w
    GROUP BY region, "place_3"
  ) AS h
  JOIN values_of_places AS t ON t.place = h.place
),
summed AS (
  SELECT
    c.*,
    ROW_NUMBER() OVER (PARTITION BY region, known ORDER BY row_count DESC, place) AS nth,
    SUM(row_count) OVER (PARTITION BY region, known) AS alike,
    SUM(row_count) OVER (PARTITION BY region) AS all_rows
  FROM counted AS c
)
SELECT
  r.region,
  r.place,
  t.value
FROM summed AS r
JOIN values_of_places AS t ON t.place = r.place
WHERE r.nth = 1
  AND CASE WHEN r.known = 1 THEN 2 * r.alike >= r.all_rows ELSE 2 * r.alike > r.all_rows END
