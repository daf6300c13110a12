-- runs_from_starts
CREATE TEMP TABLE "kept ru'ns" AS
WITH placed AS (
  SELECT
    l.*,
    first_row + up_to - row_count AS begins,
    first_row + up_to AS ends
  FROM "li'ne" AS l
),
bounded AS (
  SELECT
    leaf,
    first_row,
    LEAD(first_row) OVER (PARTITION BY leaf ORDER BY first_row) AS next
  FROM "star'ts" AS s
)
SELECT
  p.region AS leaf,
  b.first_row AS region,
  "place_0", "place_1", "place_2", "spread_0", "spread_1", "entity",
  LEAST(COALESCE(b.next, p.ends), p.ends) - p.begins AS row_count
FROM placed AS p
ASOF JOIN bounded AS b ON b.leaf = p.region AND p.begins >= b.first_row
UNION ALL
SELECT
  p.region AS leaf,
  b.first_row AS region,
  "place_0", "place_1", "place_2", "spread_0", "spread_1", "entity",
  LEAST(COALESCE(b.next, p.ends), p.ends) - b.first_row AS row_count
FROM bounded AS b
ASOF JOIN (SELECT * FROM placed WHERE row_count > 1) AS p ON b.leaf = p.region AND b.first_row > p.begins
WHERE b.first_row < p.ends
