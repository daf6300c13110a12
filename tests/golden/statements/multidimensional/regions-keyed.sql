-- duckdb
CREATE TEMP TABLE "keyed en'ds" AS
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
        ELSE "t2".share
      END AS "width_2"
    FROM (
      SELECT
        t.*,
        t."low_2" & CASE t."level_2" WHEN 0 THEN CAST(4035225266123964416 AS BIGINT) WHEN 1 THEN CAST(3458764513820540928 AS BIGINT) WHEN 2 THEN CAST(0 AS BIGINT) END AS "node_2"
      FROM (
        SELECT
          r.*,
          CASE
            WHEN ("low_2" & CAST(4035225266123964416 AS BIGINT)) = ("high_2" & CAST(4035225266123964416 AS BIGINT)) THEN 0
            WHEN ("low_2" & CAST(3458764513820540928 AS BIGINT)) = ("high_2" & CAST(3458764513820540928 AS BIGINT)) THEN 1
            WHEN ("low_2" & CAST(0 AS BIGINT)) = ("high_2" & CAST(0 AS BIGINT)) THEN 2
          END AS "level_2"
        FROM (
          SELECT
            region,
            MIN("place_0") AS "low_0",
            MAX("place_0") AS "high_0",
            MIN("place_1") AS "low_1",
            MAX("place_1") AS "high_1",
            MIN("place_2") AS "low_2",
            MAX("place_2") AS "high_2",
            MIN("key_0") AS least_key,
            MAX("key_0") AS greatest_key,
            CAST(SUM(row_count) AS BIGINT) AS row_count
          FROM "equal runs of one li'ne-narrow" AS s
          GROUP BY region
        ) AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = b."low_0"
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = b."high_0"
    JOIN "no'des" AS "t2" ON "t2".level = b."level_2" AND "t2".node = b."node_2"
  ) AS v
) AS w

-- postgres
CREATE TEMP TABLE "keyed en'ds" AS
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
        ELSE "t2".share
      END AS "width_2"
    FROM (
      SELECT
        t.*,
        t."low_2" & CASE t."level_2" WHEN 0 THEN CAST(4035225266123964416 AS BIGINT) WHEN 1 THEN CAST(3458764513820540928 AS BIGINT) WHEN 2 THEN CAST(0 AS BIGINT) END AS "node_2"
      FROM (
        SELECT
          r.*,
          CASE
            WHEN ("low_2" & CAST(4035225266123964416 AS BIGINT)) = ("high_2" & CAST(4035225266123964416 AS BIGINT)) THEN 0
            WHEN ("low_2" & CAST(3458764513820540928 AS BIGINT)) = ("high_2" & CAST(3458764513820540928 AS BIGINT)) THEN 1
            WHEN ("low_2" & CAST(0 AS BIGINT)) = ("high_2" & CAST(0 AS BIGINT)) THEN 2
          END AS "level_2"
        FROM (
          SELECT
            region,
            MIN("place_0") AS "low_0",
            MAX("place_0") AS "high_0",
            MIN("place_1") AS "low_1",
            MAX("place_1") AS "high_1",
            MIN("place_2") AS "low_2",
            MAX("place_2") AS "high_2",
            MIN("key_0") AS least_key,
            MAX("key_0") AS greatest_key,
            CAST(SUM(row_count) AS BIGINT) AS row_count
          FROM "equal runs of one li'ne-narrow" AS s
          GROUP BY region
        ) AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = b."low_0"
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = b."high_0"
    JOIN "no'des" AS "t2" ON "t2".level = b."level_2" AND "t2".node = b."node_2"
  ) AS v
) AS w

-- spark
CREATE TEMP VIEW `keyed en'ds` AS
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
        ELSE `t2`.share
      END AS `width_2`
    FROM (
      SELECT
        t.*,
        t.`low_2` & CASE t.`level_2` WHEN 0 THEN CAST(4035225266123964416 AS BIGINT) WHEN 1 THEN CAST(3458764513820540928 AS BIGINT) WHEN 2 THEN CAST(0 AS BIGINT) END AS `node_2`
      FROM (
        SELECT
          r.*,
          CASE
            WHEN (`low_2` & CAST(4035225266123964416 AS BIGINT)) = (`high_2` & CAST(4035225266123964416 AS BIGINT)) THEN 0
            WHEN (`low_2` & CAST(3458764513820540928 AS BIGINT)) = (`high_2` & CAST(3458764513820540928 AS BIGINT)) THEN 1
            WHEN (`low_2` & CAST(0 AS BIGINT)) = (`high_2` & CAST(0 AS BIGINT)) THEN 2
          END AS `level_2`
        FROM (
          SELECT
            region,
            MIN(`place_0`) AS `low_0`,
            MAX(`place_0`) AS `high_0`,
            MIN(`place_1`) AS `low_1`,
            MAX(`place_1`) AS `high_1`,
            MIN(`place_2`) AS `low_2`,
            MAX(`place_2`) AS `high_2`,
            MIN(`key_0`) AS least_key,
            MAX(`key_0`) AS greatest_key,
            CAST(SUM(row_count) AS BIGINT) AS row_count
          FROM `equal runs of one li'ne-narrow` AS s
          GROUP BY region
        ) AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM `line; 0` AS a GROUP BY place) AS `l0` ON `l0`.place = b.`low_0`
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM `line; 0` AS a GROUP BY place) AS `h0` ON `h0`.place = b.`high_0`
    JOIN `no'des` AS `t2` ON `t2`.level = b.`level_2` AND `t2`.node = b.`node_2`
  ) AS v
) AS w
