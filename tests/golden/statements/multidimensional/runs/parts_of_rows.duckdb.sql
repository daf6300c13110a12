-- parts_of_rows
CREATE TEMP TABLE "par'ts of rows" AS
SELECT
  region,
  CAST("low_0" / 4 AS BIGINT) - 1 AS "low_0",
  CAST("high_0" / 4 AS BIGINT) - 1 AS "high_0",
  CAST("low_1" / 1 AS BIGINT) - 1 AS "low_1",
  CAST("high_1" / 1 AS BIGINT) - 1 AS "high_1",
  "low_2",
  "high_2",
  least_key,
  greatest_key,
  row_count
FROM (
  SELECT
    CASE WHEN "p"."nth" < 3 THEN "p"."nth" - "p"."nth" % 3 ELSE "p"."nth" - ("p"."nth" - 3) % 2 END AS region,
MIN(("p"."tuple_0" + 5) & 60) AS "low_0",
MAX(("p"."tuple_0" + 5) & 60) AS "high_0",
MIN(("p"."tuple_0" + 5) & 3) AS "low_1",
MAX(("p"."tuple_0" + 5) & 3) AS "high_1",
MIN("p"."tuple_1") AS "low_2",
MAX("p"."tuple_1") AS "high_2",
    MIN("p"."key_0") AS least_key,
    MAX("p"."key_0") AS greatest_key,
    COUNT(*) AS row_count
  FROM "numb'ered" AS p
  GROUP BY 1
) AS r
