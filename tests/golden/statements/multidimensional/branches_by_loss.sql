-- duckdb
CREATE TEMP TABLE "branches by l'oss" AS
WITH tuples AS (
  SELECT
    w.region,
    "w"."place_0",
    "w"."place_1",
    "w"."place_2",
(CAST(1 AS BIGINT) << CAST("w"."place_0" + 1 AS INTEGER)) | (CAST(1 AS BIGINT) << CAST("w"."place_1" + 10 AS INTEGER)) AS "word_0",
    w.row_count
  FROM "wor'king" AS w
  JOIN "re'gions" AS r ON r.region = w.region
  WHERE r.row_count >= 4
),
parts AS (
  SELECT
    region,
    CASE WHEN GROUPING("place_0") = 0 THEN 0 WHEN GROUPING("place_1") = 0 THEN 1 WHEN GROUPING("place_2") = 0 THEN 2 END AS axis,
    COALESCE("place_0", "place_1", "place_2") AS part,
    BIT_OR("word_0") AS "word_0",
    MIN("place_2") AS "low_2",
    MAX("place_2") AS "high_2",
    CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM tuples AS t
  GROUP BY GROUPING SETS ((region, "place_0"), (region, "place_1"), (region, "place_2"))
),
halves AS (
  SELECT
    region,
    axis,
    part,
    BIT_OR("word_0") OVER so_far AS "left_word_0",
    BIT_OR("word_0") OVER beyond AS "right_word_0",
    MIN("low_2") OVER so_far AS "left_low_2",
    MIN("low_2") OVER beyond AS "right_low_2",
    MAX("high_2") OVER so_far AS "left_high_2",
    MAX("high_2") OVER beyond AS "right_high_2",
    CAST(SUM(row_count) OVER so_far AS BIGINT) AS left_rows,
    CAST(SUM(row_count) OVER beyond AS BIGINT) AS right_rows
  FROM parts AS p
  WINDOW
    so_far AS (PARTITION BY region, axis ORDER BY part ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
    beyond AS (PARTITION BY region, axis ORDER BY part ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
),
allowable AS (
  SELECT *
  FROM halves AS h
  WHERE left_rows >= 2 AND right_rows >= 2
),
sides AS (
  SELECT
    region,
    axis,
    part,
0 AS side,
    ABS(left_rows - right_rows) AS apart,
"left_word_0" & CAST(511 AS BIGINT) AS "bits_0",
"left_word_0" & CAST(3584 AS BIGINT) AS "bits_1",
"left_low_2" AS "low_2",
"left_high_2" AS "high_2",
left_rows AS row_count
  FROM allowable AS a
  UNION ALL
  SELECT
    region,
    axis,
    part,
1 AS side,
    ABS(left_rows - right_rows) AS apart,
"right_word_0" & CAST(511 AS BIGINT) AS "bits_0",
"right_word_0" & CAST(3584 AS BIGINT) AS "bits_1",
"right_low_2" AS "low_2",
"right_high_2" AS "high_2",
right_rows AS row_count
  FROM allowable AS a
),
"bounded" AS (
  SELECT
    region,
    axis,
    part,
    side,
    apart,
    CAST(FLOOR(LOG2(CAST("s"."low_bit_0" AS DOUBLE) + 0.5)) AS BIGINT) - 1 AS "low_0",
    CAST(FLOOR(LOG2(CAST("s"."bits_0" AS DOUBLE) + 0.5)) AS BIGINT) - 1 AS "high_0",
    CAST(FLOOR(LOG2(CAST("s"."low_bit_1" AS DOUBLE) + 256)) AS BIGINT) - 10 AS "low_1",
    CAST(FLOOR(LOG2(CAST("s"."bits_1" AS DOUBLE) + 256)) AS BIGINT) - 10 AS "high_1",
    "low_2",
    "high_2",
    row_count
  FROM (
    SELECT
      s.*,
      "bits_0" & -"bits_0" AS "low_bit_0",
      "bits_1" & -"bits_1" AS "low_bit_1"
    FROM sides AS s
  ) AS s
),
scored AS (
  SELECT
    region,
    axis,
    part,
    MAX(apart) AS apart,
    CAST(SUM(row_count * CAST(FLOOR(("width_0" + CAST(1.5 AS DOUBLE) * "width_1" + "width_2") * 500000000 + 0.5) AS BIGINT)) AS BIGINT) AS score
  FROM (
    SELECT
      b.*,
      CASE
        WHEN b."low_0" = b."high_0" THEN 0
        WHEN b."low_0" = -1 THEN 1
        ELSE ("h0".measure - "l0".measure) / "h0".span
      END AS "width_0",
      CASE
        WHEN b."low_1" = b."high_1" THEN 0
        WHEN b."low_1" = -1 THEN 1
        ELSE (CAST("b"."high_1" AS DOUBLE) - CAST("b"."low_1" AS DOUBLE)) / 1
      END AS "width_1",
      CASE
        WHEN b."low_2" = b."high_2" THEN 0
        WHEN b."low_2" = -1 THEN 1
        ELSE (CAST("b"."high_2" AS DOUBLE) - CAST("b"."low_2" AS DOUBLE)) / 2305843009213693952
      END AS "width_2"
    FROM (
      SELECT
        t.*
      FROM (
        SELECT
          r.*
        FROM "bounded" AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = b."low_0"
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = b."high_0"
  ) AS v
  GROUP BY region, axis, part
),
least AS (
  SELECT region, MIN(score) AS score
  FROM scored AS s
  GROUP BY region
),
chosen AS (
  SELECT region, axis, part
  FROM (
    SELECT
      s.region,
      s.axis,
      s.part,
      ROW_NUMBER() OVER (
        PARTITION BY s.region
        ORDER BY CASE s.axis WHEN 0 THEN "r"."width_0" WHEN 1 THEN CAST(1.5 AS DOUBLE) * "r"."width_1" WHEN 2 THEN "r"."width_2" END DESC, s.axis, s.apart, s.part
      ) AS choice
    FROM scored AS s
    JOIN least AS l ON l.region = s.region AND l.score = s.score
    JOIN "re'gions" AS r ON r.region = s.region
  ) AS c
  WHERE choice = 1
),
"made" AS (
  SELECT b.*
  FROM "bounded" AS b
  JOIN chosen AS c ON c.region = b.region AND c.axis = b.axis AND c.part = b.part
)
SELECT
  b.region,
  b.axis,
  CASE WHEN b.side = 0 THEN CAST(-1 AS BIGINT) ELSE b.part + 1 END AS low,
  CASE WHEN b.side = 0 THEN b.part ELSE CAST(4611686018427387904 AS BIGINT) END AS high,
  1 + ROW_NUMBER() OVER (ORDER BY b.region, b.side) - 1 AS child,
  "b"."low_0",
  "b"."high_0",
  "b"."width_0",
  "b"."low_1",
  "b"."high_1",
  "b"."width_1",
  "b"."low_2",
  "b"."high_2",
  "b"."width_2",
  b.row_count
FROM (
    SELECT
      b.*,
      CASE
        WHEN b."low_0" = b."high_0" THEN 0
        WHEN b."low_0" = -1 THEN 1
        ELSE ("h0".measure - "l0".measure) / "h0".span
      END AS "width_0",
      CASE
        WHEN b."low_1" = b."high_1" THEN 0
        WHEN b."low_1" = -1 THEN 1
        ELSE (CAST("b"."high_1" AS DOUBLE) - CAST("b"."low_1" AS DOUBLE)) / 1
      END AS "width_1",
      CASE
        WHEN b."low_2" = b."high_2" THEN 0
        WHEN b."low_2" = -1 THEN 1
        ELSE (CAST("b"."high_2" AS DOUBLE) - CAST("b"."low_2" AS DOUBLE)) / 2305843009213693952
      END AS "width_2"
    FROM (
      SELECT
        t.*
      FROM (
        SELECT
          r.*
        FROM "made" AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = b."low_0"
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = b."high_0"
) AS b

-- postgres
CREATE TEMP TABLE "branches by l'oss" AS
WITH tuples AS (
  SELECT
    w.region,
    "w"."place_0",
    "w"."place_1",
    "w"."place_2",
(CAST(1 AS BIGINT) << CAST("w"."place_0" + 1 AS INTEGER)) | (CAST(1 AS BIGINT) << CAST("w"."place_1" + 10 AS INTEGER)) AS "word_0",
    w.row_count
  FROM "wor'king" AS w
  JOIN "re'gions" AS r ON r.region = w.region
  WHERE r.row_count >= 4
),
parts AS (
  SELECT
    region,
    CASE WHEN GROUPING("place_0") = 0 THEN 0 WHEN GROUPING("place_1") = 0 THEN 1 WHEN GROUPING("place_2") = 0 THEN 2 END AS axis,
    COALESCE("place_0", "place_1", "place_2") AS part,
    BIT_OR("word_0") AS "word_0",
    MIN("place_2") AS "low_2",
    MAX("place_2") AS "high_2",
    CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM tuples AS t
  GROUP BY GROUPING SETS ((region, "place_0"), (region, "place_1"), (region, "place_2"))
),
halves AS (
  SELECT
    region,
    axis,
    part,
    BIT_OR("word_0") OVER so_far AS "left_word_0",
    BIT_OR("word_0") OVER beyond AS "right_word_0",
    MIN("low_2") OVER so_far AS "left_low_2",
    MIN("low_2") OVER beyond AS "right_low_2",
    MAX("high_2") OVER so_far AS "left_high_2",
    MAX("high_2") OVER beyond AS "right_high_2",
    CAST(SUM(row_count) OVER so_far AS BIGINT) AS left_rows,
    CAST(SUM(row_count) OVER beyond AS BIGINT) AS right_rows
  FROM parts AS p
  WINDOW
    so_far AS (PARTITION BY region, axis ORDER BY part ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
    beyond AS (PARTITION BY region, axis ORDER BY part ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
),
allowable AS (
  SELECT *
  FROM halves AS h
  WHERE left_rows >= 2 AND right_rows >= 2
),
sides AS (
  SELECT
    region,
    axis,
    part,
0 AS side,
    ABS(left_rows - right_rows) AS apart,
"left_word_0" & CAST(511 AS BIGINT) AS "bits_0",
"left_word_0" & CAST(3584 AS BIGINT) AS "bits_1",
"left_low_2" AS "low_2",
"left_high_2" AS "high_2",
left_rows AS row_count
  FROM allowable AS a
  UNION ALL
  SELECT
    region,
    axis,
    part,
1 AS side,
    ABS(left_rows - right_rows) AS apart,
"right_word_0" & CAST(511 AS BIGINT) AS "bits_0",
"right_word_0" & CAST(3584 AS BIGINT) AS "bits_1",
"right_low_2" AS "low_2",
"right_high_2" AS "high_2",
right_rows AS row_count
  FROM allowable AS a
),
"bounded" AS (
  SELECT
    region,
    axis,
    part,
    side,
    apart,
    CAST(FLOOR(LN(CAST("s"."low_bit_0" AS DOUBLE PRECISION) + 0.5) / LN(CAST(2 AS DOUBLE PRECISION))) AS BIGINT) - 1 AS "low_0",
    CAST(FLOOR(LN(CAST("s"."bits_0" AS DOUBLE PRECISION) + 0.5) / LN(CAST(2 AS DOUBLE PRECISION))) AS BIGINT) - 1 AS "high_0",
    CAST(FLOOR(LN(CAST("s"."low_bit_1" AS DOUBLE PRECISION) + 256) / LN(CAST(2 AS DOUBLE PRECISION))) AS BIGINT) - 10 AS "low_1",
    CAST(FLOOR(LN(CAST("s"."bits_1" AS DOUBLE PRECISION) + 256) / LN(CAST(2 AS DOUBLE PRECISION))) AS BIGINT) - 10 AS "high_1",
    "low_2",
    "high_2",
    row_count
  FROM (
    SELECT
      s.*,
      "bits_0" & -"bits_0" AS "low_bit_0",
      "bits_1" & -"bits_1" AS "low_bit_1"
    FROM sides AS s
  ) AS s
),
scored AS (
  SELECT
    region,
    axis,
    part,
    MAX(apart) AS apart,
    CAST(SUM(row_count * CAST(FLOOR(("width_0" + CAST(1.5 AS DOUBLE PRECISION) * "width_1" + "width_2") * 500000000 + 0.5) AS BIGINT)) AS BIGINT) AS score
  FROM (
    SELECT
      b.*,
      CASE
        WHEN b."low_0" = b."high_0" THEN 0
        WHEN b."low_0" = -1 THEN 1
        ELSE ("h0".measure - "l0".measure) / "h0".span
      END AS "width_0",
      CASE
        WHEN b."low_1" = b."high_1" THEN 0
        WHEN b."low_1" = -1 THEN 1
        ELSE (CAST("b"."high_1" AS DOUBLE PRECISION) - CAST("b"."low_1" AS DOUBLE PRECISION)) / 1
      END AS "width_1",
      CASE
        WHEN b."low_2" = b."high_2" THEN 0
        WHEN b."low_2" = -1 THEN 1
        ELSE (CAST("b"."high_2" AS DOUBLE PRECISION) - CAST("b"."low_2" AS DOUBLE PRECISION)) / 2305843009213693952
      END AS "width_2"
    FROM (
      SELECT
        t.*
      FROM (
        SELECT
          r.*
        FROM "bounded" AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = b."low_0"
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = b."high_0"
  ) AS v
  GROUP BY region, axis, part
),
least AS (
  SELECT region, MIN(score) AS score
  FROM scored AS s
  GROUP BY region
),
chosen AS (
  SELECT region, axis, part
  FROM (
    SELECT
      s.region,
      s.axis,
      s.part,
      ROW_NUMBER() OVER (
        PARTITION BY s.region
        ORDER BY CASE s.axis WHEN 0 THEN "r"."width_0" WHEN 1 THEN CAST(1.5 AS DOUBLE PRECISION) * "r"."width_1" WHEN 2 THEN "r"."width_2" END DESC, s.axis, s.apart, s.part
      ) AS choice
    FROM scored AS s
    JOIN least AS l ON l.region = s.region AND l.score = s.score
    JOIN "re'gions" AS r ON r.region = s.region
  ) AS c
  WHERE choice = 1
),
"made" AS (
  SELECT b.*
  FROM "bounded" AS b
  JOIN chosen AS c ON c.region = b.region AND c.axis = b.axis AND c.part = b.part
)
SELECT
  b.region,
  b.axis,
  CASE WHEN b.side = 0 THEN CAST(-1 AS BIGINT) ELSE b.part + 1 END AS low,
  CASE WHEN b.side = 0 THEN b.part ELSE CAST(4611686018427387904 AS BIGINT) END AS high,
  1 + ROW_NUMBER() OVER (ORDER BY b.region, b.side) - 1 AS child,
  "b"."low_0",
  "b"."high_0",
  "b"."width_0",
  "b"."low_1",
  "b"."high_1",
  "b"."width_1",
  "b"."low_2",
  "b"."high_2",
  "b"."width_2",
  b.row_count
FROM (
    SELECT
      b.*,
      CASE
        WHEN b."low_0" = b."high_0" THEN 0
        WHEN b."low_0" = -1 THEN 1
        ELSE ("h0".measure - "l0".measure) / "h0".span
      END AS "width_0",
      CASE
        WHEN b."low_1" = b."high_1" THEN 0
        WHEN b."low_1" = -1 THEN 1
        ELSE (CAST("b"."high_1" AS DOUBLE PRECISION) - CAST("b"."low_1" AS DOUBLE PRECISION)) / 1
      END AS "width_1",
      CASE
        WHEN b."low_2" = b."high_2" THEN 0
        WHEN b."low_2" = -1 THEN 1
        ELSE (CAST("b"."high_2" AS DOUBLE PRECISION) - CAST("b"."low_2" AS DOUBLE PRECISION)) / 2305843009213693952
      END AS "width_2"
    FROM (
      SELECT
        t.*
      FROM (
        SELECT
          r.*
        FROM "made" AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = b."low_0"
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = b."high_0"
) AS b

-- spark
CREATE TEMP VIEW `branches by l'oss` AS
WITH tuples AS (
  SELECT
    w.region,
    `w`.`place_0`,
    `w`.`place_1`,
    `w`.`place_2`,
SHIFTLEFT(CAST(1 AS BIGINT), CAST(`w`.`place_0` + 1 AS INT)) | SHIFTLEFT(CAST(1 AS BIGINT), CAST(`w`.`place_1` + 10 AS INT)) AS `word_0`,
    w.row_count
  FROM `wor'king` AS w
  JOIN `re'gions` AS r ON r.region = w.region
  WHERE r.row_count >= 4
),
parts AS (
  SELECT
    region,
    CASE WHEN GROUPING(`place_0`) = 0 THEN 0 WHEN GROUPING(`place_1`) = 0 THEN 1 WHEN GROUPING(`place_2`) = 0 THEN 2 END AS axis,
    COALESCE(`place_0`, `place_1`, `place_2`) AS part,
    BIT_OR(`word_0`) AS `word_0`,
    MIN(`place_2`) AS `low_2`,
    MAX(`place_2`) AS `high_2`,
    CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM tuples AS t
  GROUP BY GROUPING SETS ((region, `place_0`), (region, `place_1`), (region, `place_2`))
),
halves AS (
  SELECT
    region,
    axis,
    part,
    BIT_OR(`word_0`) OVER so_far AS `left_word_0`,
    BIT_OR(`word_0`) OVER beyond AS `right_word_0`,
    MIN(`low_2`) OVER so_far AS `left_low_2`,
    MIN(`low_2`) OVER beyond AS `right_low_2`,
    MAX(`high_2`) OVER so_far AS `left_high_2`,
    MAX(`high_2`) OVER beyond AS `right_high_2`,
    CAST(SUM(row_count) OVER so_far AS BIGINT) AS left_rows,
    CAST(SUM(row_count) OVER beyond AS BIGINT) AS right_rows
  FROM parts AS p
  WINDOW
    so_far AS (PARTITION BY region, axis ORDER BY part ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
    beyond AS (PARTITION BY region, axis ORDER BY part ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING)
),
allowable AS (
  SELECT *
  FROM halves AS h
  WHERE left_rows >= 2 AND right_rows >= 2
),
sides AS (
  SELECT
    region,
    axis,
    part,
0 AS side,
    ABS(left_rows - right_rows) AS apart,
`left_word_0` & CAST(511 AS BIGINT) AS `bits_0`,
`left_word_0` & CAST(3584 AS BIGINT) AS `bits_1`,
`left_low_2` AS `low_2`,
`left_high_2` AS `high_2`,
left_rows AS row_count
  FROM allowable AS a
  UNION ALL
  SELECT
    region,
    axis,
    part,
1 AS side,
    ABS(left_rows - right_rows) AS apart,
`right_word_0` & CAST(511 AS BIGINT) AS `bits_0`,
`right_word_0` & CAST(3584 AS BIGINT) AS `bits_1`,
`right_low_2` AS `low_2`,
`right_high_2` AS `high_2`,
right_rows AS row_count
  FROM allowable AS a
),
`bounded` AS (
  SELECT
    region,
    axis,
    part,
    side,
    apart,
    CAST(FLOOR(LOG2(CAST(`s`.`low_bit_0` AS DOUBLE) + 0.5)) AS BIGINT) - 1 AS `low_0`,
    CAST(FLOOR(LOG2(CAST(`s`.`bits_0` AS DOUBLE) + 0.5)) AS BIGINT) - 1 AS `high_0`,
    CAST(FLOOR(LOG2(CAST(`s`.`low_bit_1` AS DOUBLE) + 256)) AS BIGINT) - 10 AS `low_1`,
    CAST(FLOOR(LOG2(CAST(`s`.`bits_1` AS DOUBLE) + 256)) AS BIGINT) - 10 AS `high_1`,
    `low_2`,
    `high_2`,
    row_count
  FROM (
    SELECT
      s.*,
      `bits_0` & -`bits_0` AS `low_bit_0`,
      `bits_1` & -`bits_1` AS `low_bit_1`
    FROM sides AS s
  ) AS s
),
scored AS (
  SELECT
    region,
    axis,
    part,
    MAX(apart) AS apart,
    CAST(SUM(row_count * CAST(FLOOR((`width_0` + CAST(1.5 AS DOUBLE) * `width_1` + `width_2`) * 500000000 + 0.5) AS BIGINT)) AS BIGINT) AS score
  FROM (
    SELECT
      b.*,
      CASE
        WHEN b.`low_0` = b.`high_0` THEN 0
        WHEN b.`low_0` = -1 THEN 1
        ELSE (`h0`.measure - `l0`.measure) / `h0`.span
      END AS `width_0`,
      CASE
        WHEN b.`low_1` = b.`high_1` THEN 0
        WHEN b.`low_1` = -1 THEN 1
        ELSE (CAST(`b`.`high_1` AS DOUBLE) - CAST(`b`.`low_1` AS DOUBLE)) / 1
      END AS `width_1`,
      CASE
        WHEN b.`low_2` = b.`high_2` THEN 0
        WHEN b.`low_2` = -1 THEN 1
        ELSE (CAST(`b`.`high_2` AS DOUBLE) - CAST(`b`.`low_2` AS DOUBLE)) / 2305843009213693952
      END AS `width_2`
    FROM (
      SELECT
        t.*
      FROM (
        SELECT
          r.*
        FROM `bounded` AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM `line; 0` AS a GROUP BY place) AS `l0` ON `l0`.place = b.`low_0`
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM `line; 0` AS a GROUP BY place) AS `h0` ON `h0`.place = b.`high_0`
  ) AS v
  GROUP BY region, axis, part
),
least AS (
  SELECT region, MIN(score) AS score
  FROM scored AS s
  GROUP BY region
),
chosen AS (
  SELECT region, axis, part
  FROM (
    SELECT
      s.region,
      s.axis,
      s.part,
      ROW_NUMBER() OVER (
        PARTITION BY s.region
        ORDER BY CASE s.axis WHEN 0 THEN `r`.`width_0` WHEN 1 THEN CAST(1.5 AS DOUBLE) * `r`.`width_1` WHEN 2 THEN `r`.`width_2` END DESC, s.axis, s.apart, s.part
      ) AS choice
    FROM scored AS s
    JOIN least AS l ON l.region = s.region AND l.score = s.score
    JOIN `re'gions` AS r ON r.region = s.region
  ) AS c
  WHERE choice = 1
),
`made` AS (
  SELECT b.*
  FROM `bounded` AS b
  JOIN chosen AS c ON c.region = b.region AND c.axis = b.axis AND c.part = b.part
)
SELECT
  b.region,
  b.axis,
  CASE WHEN b.side = 0 THEN CAST(-1 AS BIGINT) ELSE b.part + 1 END AS low,
  CASE WHEN b.side = 0 THEN b.part ELSE CAST(4611686018427387904 AS BIGINT) END AS high,
  1 + ROW_NUMBER() OVER (ORDER BY b.region, b.side) - 1 AS child,
  `b`.`low_0`,
  `b`.`high_0`,
  `b`.`width_0`,
  `b`.`low_1`,
  `b`.`high_1`,
  `b`.`width_1`,
  `b`.`low_2`,
  `b`.`high_2`,
  `b`.`width_2`,
  b.row_count
FROM (
    SELECT
      b.*,
      CASE
        WHEN b.`low_0` = b.`high_0` THEN 0
        WHEN b.`low_0` = -1 THEN 1
        ELSE (`h0`.measure - `l0`.measure) / `h0`.span
      END AS `width_0`,
      CASE
        WHEN b.`low_1` = b.`high_1` THEN 0
        WHEN b.`low_1` = -1 THEN 1
        ELSE (CAST(`b`.`high_1` AS DOUBLE) - CAST(`b`.`low_1` AS DOUBLE)) / 1
      END AS `width_1`,
      CASE
        WHEN b.`low_2` = b.`high_2` THEN 0
        WHEN b.`low_2` = -1 THEN 1
        ELSE (CAST(`b`.`high_2` AS DOUBLE) - CAST(`b`.`low_2` AS DOUBLE)) / 2305843009213693952
      END AS `width_2`
    FROM (
      SELECT
        t.*
      FROM (
        SELECT
          r.*
        FROM `made` AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM `line; 0` AS a GROUP BY place) AS `l0` ON `l0`.place = b.`low_0`
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM `line; 0` AS a GROUP BY place) AS `h0` ON `h0`.place = b.`high_0`
) AS b
