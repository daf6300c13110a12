-- runs_of_rows
CREATE TEMP VIEW "ru'ns of rows" AS
SELECT
  COALESCE(f.region, CASE WHEN "p"."nth" < 3 THEN "p"."nth" - "p"."nth" % 3 ELSE "p"."nth" - ("p"."nth" - 3) % 2 END) AS region,
  CAST((("p"."tuple_0" + 5) & 60) / 4 AS BIGINT) - 1 AS "place_0",
  CAST((("p"."tuple_0" + 5) & 3) / 1 AS BIGINT) - 1 AS "place_1",
  "p"."tuple_1" AS "place_2",
  "p"."key_0" AS "key_0",
  CAST(1 AS BIGINT) AS row_count
FROM "numb'ered" AS p
LEFT JOIN "fil'led ru'ns" AS f
  ON f."key_0" = "p"."key_0" AND p.nth BETWEEN f.region AND f.last_row
