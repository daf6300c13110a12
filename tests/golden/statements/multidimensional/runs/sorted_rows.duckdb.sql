-- sorted_rows
CREATE TEMP TABLE "sor'ted" AS
SELECT
  "tuple_0",
  "tuple_1",
  "carried_0",
  "key_0"
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
      "s"."dis'ease" AS "carried_0",
      (CAST("q0"."place" AS BIGINT) * 4 + "q1"."place") AS "tuple_0",
      CAST("q2"."place" AS BIGINT) AS "tuple_1",
      CAST(2 AS BIGINT) AS "radix_0",
      CAST(3 AS BIGINT) AS "radix_1",
      CAST(4 AS BIGINT) AS "radix_2",
"r0"."local_rank" AS "rank_0",
"q1"."place" - -1 AS "rank_1",
"r2"."local_rank" AS "rank_2",
      CAST(random() * 2147483647 AS INTEGER) AS lot
    FROM "the source; DROP TABLE x" AS s
    JOIN "line; 0" AS "q0" ON "s"."age
of 👩" = "q0"."value"
    JOIN "line; 2" AS "q1" ON "s"."se""x" IS NOT DISTINCT FROM "q1"."value"
    JOIN "tr'ee" AS "q2" ON "s"."zip; --" IS NOT DISTINCT FROM "q2"."value"
    LEFT JOIN "ra'nks" AS "r0" ON "r0".axis = 0 AND "r0".place = "q0"."place"
    LEFT JOIN "ra'nks" AS "r2" ON "r2".axis = 2 AND "r2".place = "q2"."place"
  ) AS w
  ) AS w
  ) AS w
  ) AS w
) AS w
) AS w
ORDER BY "key_0", lot
