-- duckdb, postgres
CREATE TEMP TABLE "equal runs of one li'ne-narrow" AS
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
    ) AS p  ) AS r
  UNION ALL
  SELECT
    r.*,
    next_part AS region,
    last_part - next_part AS rows_there
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
    ) AS p  ) AS r
  WHERE last_part > first_part
) AS p

-- spark
CREATE TEMP VIEW `equal runs of one li'ne-narrow` AS
SELECT
  region,
CAST(((`p`.`tuple_0` + 5) & 60) / 4 AS BIGINT) - 1 AS `place_0`,
CAST(((`p`.`tuple_0` + 5) & 3) / 1 AS BIGINT) - 1 AS `place_1`,
`p`.`tuple_1` AS `place_2`,
  `key_0`,
  rows_there AS row_count
FROM (
  SELECT
    r.*,
    first_part AS region,
    LEAST(up_to, next_part) - first_row AS rows_there
  FROM (
    SELECT
      p.*,
      first_part + 2 AS next_part
    FROM (
      SELECT
        l.*,
`first_row` - `first_row` % 2 AS first_part,
`last_row` - `last_row` % 2 AS last_part
      FROM (
        SELECT l.*, up_to - row_count AS first_row, up_to - 1 AS last_row
        FROM `who'le-alone` AS l
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
      first_part + 2 AS next_part
    FROM (
      SELECT
        l.*,
`first_row` - `first_row` % 2 AS first_part,
`last_row` - `last_row` % 2 AS last_part
      FROM (
        SELECT l.*, up_to - row_count AS first_row, up_to - 1 AS last_row
        FROM `who'le-alone` AS l
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
      first_part + 2 AS next_part
    FROM (
      SELECT
        l.*,
`first_row` - `first_row` % 2 AS first_part,
`last_row` - `last_row` % 2 AS last_part
      FROM (
        SELECT l.*, up_to - row_count AS first_row, up_to - 1 AS last_row
        FROM `who'le-alone` AS l
      ) AS l
    ) AS p  ) AS r
  WHERE last_part > first_part
) AS p
