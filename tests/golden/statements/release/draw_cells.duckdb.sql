-- draw_cells
CREATE TEMP TABLE "dra'wn" AS
SELECT
  "s"."key_1" AS "key_1",
  "drawn_of_1"."drawn_value_1" AS "key_2",
  CASE WHEN COUNT("s"."row_count") OVER () > 1 THEN "s"."row_count" + CAST(("s"."drawn_draw_2" - COALESCE(LAG("s"."drawn_draw_2") OVER (PARTITION BY "s"."row_count" IS NULL ORDER BY "s"."drawn_lot_2"), LAST_VALUE("s"."drawn_draw_2") OVER (PARTITION BY "s"."row_count" IS NULL ORDER BY "s"."drawn_lot_2" ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))) * 0.1 AS DECIMAL(18, 1)) END AS "row_count"
FROM (
  SELECT
    ROW_NUMBER() OVER (PARTITION BY "s"."key_1" ORDER BY "s"."drawn_lot_1") AS "drawn_nth_1",
    s.*
  FROM (
    SELECT
      random() AS "drawn_lot_2",
      CAST(FLOOR(random() * 25) AS BIGINT) - 12 AS "drawn_draw_2",
      random() AS "drawn_lot_1",
      s.*
    FROM "frequency ""set"" 0" AS s
  ) AS s
) AS s
JOIN (
  SELECT
    "s"."key_1" AS "drawn_label_0",
    "s"."key_2" AS "drawn_value_1",
    ROW_NUMBER() OVER (PARTITION BY "s"."key_1" ORDER BY "s"."drawn_lot_1") AS "drawn_nth_1"
  FROM (
    SELECT
      random() AS "drawn_lot_1",
      s.*
    FROM "frequency ""set"" 0" AS s
  ) AS s
) AS "drawn_of_1"
  ON "s"."key_1" IS NOT DISTINCT FROM "drawn_of_1"."drawn_label_0" AND s."drawn_nth_1" = "drawn_of_1"."drawn_nth_1"
ORDER BY random()
