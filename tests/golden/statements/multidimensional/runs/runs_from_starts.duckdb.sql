-- runs_from_starts
CREATE TEMP TABLE "kept ru'ns" AS
WITH placed AS (
  SELECT
    l.*,
    first_row + up_to - row_count AS begins
  FROM "li'ne" AS l
),
pieces AS (
  SELECT
    begins,
    MAX(CASE WHEN of_tuple = 0 THEN begins END) OVER so_far AS run,
    MAX(CASE WHEN of_tuple = 1 THEN begins END) OVER so_far AS of_tuple,
    LEAD(begins) OVER (PARTITION BY leaf ORDER BY begins, of_tuple) AS next
  FROM (
    SELECT region AS leaf, begins, 1 AS of_tuple FROM placed AS p
    UNION ALL
    SELECT leaf, first_row AS begins, 0 AS of_tuple FROM "star'ts" AS s
  ) AS b
  WINDOW so_far AS (PARTITION BY leaf ORDER BY begins, of_tuple ROWS UNBOUNDED PRECEDING)
)
SELECT
  p.region AS leaf,
  c.run AS region,
  "place_0", "place_1", "place_2", "spread_0", "spread_1", "entity",
  COALESCE(c.next, p.begins + p.row_count) - c.begins AS row_count
FROM pieces AS c
JOIN placed AS p ON p.begins = c.of_tuple
WHERE c.next IS NULL OR c.next > c.begins
