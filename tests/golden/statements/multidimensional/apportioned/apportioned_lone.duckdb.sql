-- apportioned_lone
CREATE TEMP TABLE "apportioned_lone' 10" AS
WITH shown AS (
  SELECT
    region,
    MAX(all_rows) AS all_rows,
    MAX(CASE WHEN quasi = 0 THEN place END) AS "place_0",    MAX(CASE WHEN quasi = 2 THEN place END) AS "place_2"  FROM "apportioned_after' 9" AS b
  GROUP BY region
),
alone AS (
  SELECT
    "w"."place_0",
    "w"."place_2"
  FROM "ho'mes" AS w
  WHERE EXISTS (
    SELECT 1
    FROM shown AS s
    WHERE "w"."place_0" = "s"."place_0" AND "w"."place_2" = "s"."place_2"
  )
  GROUP BY "w"."place_0", "w"."place_2"
  HAVING SUM(w.row_count) = 1
),
lone AS (
  SELECT
    s.*,
    MOD(ROW_NUMBER() OVER (ORDER BY s.region), 1) AS step
  FROM shown AS s
  JOIN alone AS w
    ON "w"."place_0" = "s"."place_0" AND "w"."place_2" = "s"."place_2"
),
offers AS (
  SELECT
    c.quasi,
    c.region,
    c.place,
    c.row_count,
    CASE c.quasi WHEN 0 THEN "l"."place_0" WHEN 2 THEN "l"."place_2" END AS old_place,
    l.all_rows,
    l.step,
    CASE WHEN c.quasi = 0 THEN c.place ELSE "l"."place_0" END AS "place_0",    CASE WHEN c.quasi = 2 THEN c.place ELSE "l"."place_2" END AS "place_2"  FROM "common'" AS c
  JOIN lone AS l ON l.region = c.region
)
SELECT
  o.quasi,
  o.region,
  o.place,
  o.row_count,
  o.old_place,
  o.all_rows,
  o.step
FROM offers AS o
LEFT JOIN "ho'mes" AS w
  ON "w"."place_0" = "o"."place_0" AND "w"."place_2" = "o"."place_2"
WHERE o.place <> o.old_place
GROUP BY o.quasi, o.region, o.place, o.row_count, o.old_place, o.all_rows, o.step
HAVING COALESCE(SUM(w.row_count), 0) <> 1
