-- equal_parts
CREATE TEMP TABLE "equal ru'ns" AS
WITH measured AS (
  SELECT
    c.*,
    CAST((leaf_rows - leaf_rows % parts) / parts AS BIGINT) AS narrow,
    leaf_rows % parts AS wide,
    up_to - row_count AS before
  FROM (
    SELECT
      l.*,
      GREATEST(CAST((leaf_rows - leaf_rows % 2) / 2 AS BIGINT), 1) AS parts
    FROM "li'ne" AS l
  ) AS c
),
reached AS (
  SELECT
    m.*,
    CASE
      WHEN before < wide * (narrow + 1) THEN CAST((before - before % (narrow + 1)) / (narrow + 1) AS BIGINT)
      ELSE CAST((before - wide - (before - wide) % narrow) / narrow AS BIGINT)
    END AS first_part,
    CASE
      WHEN up_to - 1 < wide * (narrow + 1) THEN CAST((up_to - 1 - (up_to - 1) % (narrow + 1)) / (narrow + 1) AS BIGINT)
      ELSE CAST((up_to - 1 - wide - (up_to - 1 - wide) % narrow) / narrow AS BIGINT)
    END AS last_part
  FROM measured AS m
),
bounded AS (
  SELECT
    r.*,
    first_part * narrow + LEAST(first_part, wide) AS from_row,
    (first_part + 1) * narrow + LEAST(first_part + 1, wide) AS next_row,
    last_part * narrow + LEAST(last_part, wide) AS last_row
  FROM reached AS r
)
SELECT
  region AS leaf,
  first_row + from_row AS region,
  first_row + before AS start_row,
  "place_0", "place_1", "place_2", "spread_0", "spread_1", "entity",
  LEAST(up_to, next_row) - before AS row_count
FROM bounded AS b
UNION ALL
SELECT
  region AS leaf,
  first_row + next_row AS region,
  first_row + next_row AS start_row,
  "place_0", "place_1", "place_2", "spread_0", "spread_1", "entity",
  last_row - next_row AS row_count
FROM bounded AS b
WHERE last_part > first_part + 1
UNION ALL
SELECT
  region AS leaf,
  first_row + last_row AS region,
  first_row + last_row AS start_row,
  "place_0", "place_1", "place_2", "spread_0", "spread_1", "entity",
  up_to - last_row AS row_count
FROM bounded AS b
WHERE last_part > first_part
