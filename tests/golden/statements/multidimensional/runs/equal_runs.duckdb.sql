-- equal_runs
CREATE TEMP VIEW "equal runs of one li'ne" AS
SELECT
  region,
CAST((("p"."tuple_0" + 5) & 60) / 4 AS BIGINT) - 1 AS "place_0",
CAST((("p"."tuple_0" + 5) & 3) / 1 AS BIGINT) - 1 AS "place_1",
"p"."tuple_1" AS "place_2",
  "key_0",
  rows_there AS row_count
FROM (
  SELECT
    r.*,
    first_part AS region,
    LEAST(up_to, next_part) - first_row AS rows_there
  FROM (
    SELECT
      p.*,
      first_part + 2 + CASE WHEN first_part < 3 THEN 1 ELSE 0 END AS next_part
    FROM (
      SELECT
        l.*,
CASE WHEN "first_row" < 3 THEN "first_row" - "first_row" % 3 ELSE "first_row" - ("first_row" - 3) % 2 END AS first_part,
CASE WHEN "last_row" < 3 THEN "last_row" - "last_row" % 3 ELSE "last_row" - ("last_row" - 3) % 2 END AS last_part
      FROM (
        SELECT l.*, up_to - row_count AS first_row, up_to - 1 AS last_row
        FROM "who'le-alone" AS l
      ) AS l
    ) AS p  ) AS r
  UNION ALL
  SELECT
    r.*,
    next_part AS region,
    last_part - next_part AS rows_there
  FROM (
    SELECT
      p.*,
      first_part + 2 + CASE WHEN first_part < 3 THEN 1 ELSE 0 END AS next_part
    FROM (
      SELECT
        l.*,
CASE WHEN "first_row" < 3 THEN "first_row" - "first_row" % 3 ELSE "first_row" - ("first_row" - 3) % 2 END AS first_part,
CASE WHEN "last_row" < 3 THEN "last_row" - "last_row" % 3 ELSE "last_row" - ("last_row" - 3) % 2 END AS last_part
      FROM (
        SELECT l.*, up_to - row_count AS first_row, up_to - 1 AS last_row
        FROM "who'le-alone" AS l
      ) AS l
    ) AS p  ) AS r
  WHERE last_part > next_part
  UNION ALL
  SELECT
    r.*,
    last_part AS region,
    up_to - last_part AS rows_there
  FROM (
    SELECT
      p.*,
      first_part + 2 + CASE WHEN first_part < 3 THEN 1 ELSE 0 END AS next_part
    FROM (
      SELECT
        l.*,
CASE WHEN "first_row" < 3 THEN "first_row" - "first_row" % 3 ELSE "first_row" - ("first_row" - 3) % 2 END AS first_part,
CASE WHEN "last_row" < 3 THEN "last_row" - "last_row" % 3 ELSE "last_row" - ("last_row" - 3) % 2 END AS last_part
      FROM (
        SELECT l.*, up_to - row_count AS first_row, up_to - 1 AS last_row
        FROM "who'le-alone" AS l
      ) AS l
    ) AS p  ) AS r
  WHERE last_part > first_part
) AS p
