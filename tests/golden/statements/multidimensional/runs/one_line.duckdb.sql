-- one_line
CREATE TEMP TABLE "who'le" AS
SELECT
  "tuple_0",
  "tuple_1",
  "w"."spread_0",
  "w"."spread_1",
  "w"."entity",
  "key_0",
  w.row_count,
  CAST(SUM(w.row_count) OVER (
    ORDER BY "key_0", COALESCE("w"."spread_0", 0), COALESCE("w"."spread_1", 0), encode(CAST("w"."entity" AS VARCHAR))
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
(CAST("w"."place_0" AS BIGINT) * 4 + "w"."place_1") AS "tuple_0",
CAST("w"."place_2" AS BIGINT) AS "tuple_1",
      CAST(2 AS BIGINT) AS "radix_0",
      CAST(3 AS BIGINT) AS "radix_1",
      CAST(4 AS BIGINT) AS "radix_2",
"r0"."local_rank" AS "rank_0",
"w"."place_1" - -1 AS "rank_1",
"r2"."local_rank" AS "rank_2"
    FROM "wor'king" AS w
    LEFT JOIN "ra'nks" AS "r0" ON "r0".axis = 0 AND "r0".place = w."place_0"
    LEFT JOIN "ra'nks" AS "r2" ON "r2".axis = 2 AND "r2".place = w."place_2"
  ) AS w
  ) AS w
  ) AS w
  ) AS w
) AS w
) AS w
