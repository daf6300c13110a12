-- filled_runs
CREATE TEMP TABLE "fil'led ru'ns" AS
SELECT
  "key_0",
  next_part AS region,
  last_part - 1 AS last_row
FROM (
    SELECT
      p.*,
      first_part + 2 AS next_part
    FROM (
      SELECT
        l.*,
"first_row" - "first_row" % 2 AS first_part,
"last_row" - "last_row" % 2 AS last_part
      FROM (
        SELECT l.*, up_to - row_count AS first_row, up_to - 1 AS last_row
        FROM "who'le-alone" AS l
      ) AS l
    ) AS p) AS r
WHERE last_part > next_part
