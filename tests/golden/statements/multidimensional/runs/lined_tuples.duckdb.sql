-- lined_tuples-given
CREATE TEMP TABLE "one li'ne" AS
SELECT
  w.region,
  "w"."place_0",
  "w"."place_1",
  "w"."place_2",
  w.row_count,
  w.leaf_rows,
  w.first_row,
  CAST(SUM(w.row_count) OVER (
    PARTITION BY w.region
    ORDER BY "key_0"
    ROWS UNBOUNDED PRECEDING
  ) AS BIGINT) AS up_to
FROM (
SELECT
  w.*,
(("w"."digit_0" * "w"."radix_1" + "w"."digit_1") * "w"."radix_2" + "w"."digit_2") AS "key_0"
FROM (
  SELECT
    w.*,
    CASE WHEN "odd_1" = 0 THEN "own_2" ELSE "radix_2" - 1 - "own_2" END AS "digit_2"
  FROM (
  SELECT
    w.*,
    CASE WHEN "odd_0" = 0 THEN "own_1" ELSE "radix_1" - 1 - "own_1" END AS "digit_1",
    ("odd_0" * "radix_1" + CASE WHEN "odd_0" = 0 THEN "own_1" ELSE "radix_1" - 1 - "own_1" END) & 1 AS "odd_1"
  FROM (
  SELECT
    w.*,
"rank_2" AS "digit_0",
"rank_2" & 1 AS "odd_0"
  FROM (
  SELECT
    w.*,
"rank_0" AS "own_1",
"rank_1" AS "own_2"
  FROM (
    SELECT
      w.*,
      o.leaf_rows,
      o.first_row,
      o."radix_0",
      "r0"."local_rank" AS "rank_0",
      o."radix_1",
      "r1"."local_rank" AS "rank_1",
      o."radix_2",
      "r2"."local_rank" AS "rank_2"
    FROM "wor'king" AS w
    JOIN "one ord'er" AS o ON o.region = w.region
    LEFT JOIN "ra'nks" AS "r0" ON "r0".region = w.region AND "r0".axis = 0 AND "r0".place = w."place_0"
    LEFT JOIN "ra'nks" AS "r1" ON "r1".region = w.region AND "r1".axis = 1 AND "r1".place = w."place_1"
    LEFT JOIN "ra'nks" AS "r2" ON "r2".region = w.region AND "r2".axis = 2 AND "r2".place = w."place_2"
  ) AS w
  ) AS w
  ) AS w
  ) AS w
) AS w
) AS w
