-- step_bounds
CREATE TEMP TABLE "boun'ded" AS
SELECT
  block,
  step,
  runs,
  slack,
  steps,
  BIT_OR("up_to_0") OVER rest_rows AS "rest_up_to_0",
  BIT_OR("from_0") OVER rest_rows AS "rest_from_0",
  MIN("low_0") OVER rest_rows AS "rest_low_0",
  MAX("high_0") OVER rest_rows AS "rest_high_0",
  MIN("low_2") OVER rest_rows AS "rest_low_2",
  MAX("high_2") OVER rest_rows AS "rest_high_2",
  BIT_OR("up_to_0") OVER first_rows AS "first_up_to_0",
  BIT_OR("from_0") OVER first_rows AS "first_from_0",
  MIN("low_0") OVER first_rows AS "first_low_0",
  MAX("high_0") OVER first_rows AS "first_high_0",
  MIN("low_2") OVER first_rows AS "first_low_2",
  MAX("high_2") OVER first_rows AS "first_high_2"
FROM (
  SELECT
    block,
    step,
    MIN(runs) AS runs,
    MIN(slack) AS slack,
    MIN(steps) AS steps,
    BIT_OR("up_to_0") AS "up_to_0",
    BIT_OR("from_0") AS "from_0",
    MIN("place_0") AS "low_0",
    MAX("place_0") AS "high_0",
    MIN("place_2") AS "low_2",
    MAX("place_2") AS "high_2"
  FROM (
    SELECT
      k.section * 8 + k.block AS block,
      k.first_step + n.number AS step,
      k.runs,
      k.slack,
      k.steps,
((CAST(1 AS BIGINT) << CAST("k"."place_1" + 2 AS INTEGER)) - 1) AS "up_to_0",
(8 - (CAST(1 AS BIGINT) << CAST("k"."place_1" + 1 AS INTEGER))) AS "from_0",
      "k"."place_0",
      "k"."place_2"
    FROM "blo'cks" AS k
    JOIN "spa'ns" AS n ON n.first = 0 AND n.last = k.last_step - k.first_step
  ) AS c
  GROUP BY block, step
) AS s
WINDOW
  rest_rows AS (PARTITION BY block ORDER BY step ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING),
  first_rows AS (PARTITION BY block ORDER BY step ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
