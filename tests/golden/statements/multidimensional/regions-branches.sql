-- duckdb
CREATE TEMP TABLE "bran'ches found" AS
SELECT
  w.*,
  CASE
    WHEN widest = 0 THEN NULL
    WHEN "width_0" = widest THEN 0
    WHEN CAST(1.5 AS DOUBLE) * "width_1" = widest THEN 1
    WHEN "width_2" = widest THEN 2
  END AS axis
FROM (
  SELECT
    v.*,
    GREATEST(0, "width_0", CAST(1.5 AS DOUBLE) * "width_1", "width_2") AS widest
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
        FROM (
          SELECT
            child AS region,
            "low_0",
            "high_0",
            "low_1",
            "high_1",
            "low_2",
            "high_2",
            row_count
          FROM "branches by l'oss" AS s
        ) AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = b."low_0"
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = b."high_0"
  ) AS v
) AS w

-- postgres
CREATE TEMP TABLE "bran'ches found" AS
SELECT
  w.*,
  CASE
    WHEN widest = 0 THEN NULL
    WHEN "width_0" = widest THEN 0
    WHEN CAST(1.5 AS DOUBLE PRECISION) * "width_1" = widest THEN 1
    WHEN "width_2" = widest THEN 2
  END AS axis
FROM (
  SELECT
    v.*,
    GREATEST(0, "width_0", CAST(1.5 AS DOUBLE PRECISION) * "width_1", "width_2") AS widest
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
        FROM (
          SELECT
            child AS region,
            "low_0",
            "high_0",
            "low_1",
            "high_1",
            "low_2",
            "high_2",
            row_count
          FROM "branches by l'oss" AS s
        ) AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = b."low_0"
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = b."high_0"
  ) AS v
) AS w

-- spark
CREATE TEMP VIEW `bran'ches found` AS
SELECT
  w.*,
  CASE
    WHEN widest = 0 THEN NULL
    WHEN `width_0` = widest THEN 0
    WHEN CAST(1.5 AS DOUBLE) * `width_1` = widest THEN 1
    WHEN `width_2` = widest THEN 2
  END AS axis
FROM (
  SELECT
    v.*,
    GREATEST(0, `width_0`, CAST(1.5 AS DOUBLE) * `width_1`, `width_2`) AS widest
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
        FROM (
          SELECT
            child AS region,
            `low_0`,
            `high_0`,
            `low_1`,
            `high_1`,
            `low_2`,
            `high_2`,
            row_count
          FROM `branches by l'oss` AS s
        ) AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM `line; 0` AS a GROUP BY place) AS `l0` ON `l0`.place = b.`low_0`
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM `line; 0` AS a GROUP BY place) AS `h0` ON `h0`.place = b.`high_0`
  ) AS v
) AS w
