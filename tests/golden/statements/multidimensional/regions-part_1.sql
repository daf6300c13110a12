-- duckdb, postgres
CREATE TEMP TABLE "ends 1" AS
SELECT
  w.*,
  CASE
    WHEN widest = 0 THEN NULL
    WHEN "width_0" = widest THEN 0
  END AS axis
FROM (
  SELECT
    v.*,
    GREATEST(0, "width_0") AS widest
  FROM (
    SELECT
      b.*,
      CASE
        WHEN b."low_0" = b."high_0" THEN 0
        ELSE "t0".share
      END AS "width_0"
    FROM (
      SELECT
        t.*,
        t."low_0" & CASE t."level_0" WHEN 0 THEN CAST(4035225266123964416 AS BIGINT) WHEN 1 THEN CAST(3458764513820540928 AS BIGINT) WHEN 2 THEN CAST(0 AS BIGINT) END AS "node_0"
      FROM (
        SELECT
          r.*,
          CASE
            WHEN ("low_0" & CAST(4035225266123964416 AS BIGINT)) = ("high_0" & CAST(4035225266123964416 AS BIGINT)) THEN 0
            WHEN ("low_0" & CAST(3458764513820540928 AS BIGINT)) = ("high_0" & CAST(3458764513820540928 AS BIGINT)) THEN 1
            WHEN ("low_0" & CAST(0 AS BIGINT)) = ("high_0" & CAST(0 AS BIGINT)) THEN 2
          END AS "level_0"
        FROM (
          SELECT
            region,
            MIN("place_0") AS "low_0",
            MAX("place_0") AS "high_0",
            CAST(SUM(row_count) AS BIGINT) AS row_count
          FROM "in pa'rts 1" AS s
          GROUP BY region
        ) AS r
      ) AS t
    ) AS b
    JOIN "no'des" AS "t0" ON "t0".level = b."level_0" AND "t0".node = b."node_0"
  ) AS v
) AS w

-- spark
CREATE TEMP VIEW `ends 1` AS
SELECT
  w.*,
  CASE
    WHEN widest = 0 THEN NULL
    WHEN `width_0` = widest THEN 0
  END AS axis
FROM (
  SELECT
    v.*,
    GREATEST(0, `width_0`) AS widest
  FROM (
    SELECT
      b.*,
      CASE
        WHEN b.`low_0` = b.`high_0` THEN 0
        ELSE `t0`.share
      END AS `width_0`
    FROM (
      SELECT
        t.*,
        t.`low_0` & CASE t.`level_0` WHEN 0 THEN CAST(4035225266123964416 AS BIGINT) WHEN 1 THEN CAST(3458764513820540928 AS BIGINT) WHEN 2 THEN CAST(0 AS BIGINT) END AS `node_0`
      FROM (
        SELECT
          r.*,
          CASE
            WHEN (`low_0` & CAST(4035225266123964416 AS BIGINT)) = (`high_0` & CAST(4035225266123964416 AS BIGINT)) THEN 0
            WHEN (`low_0` & CAST(3458764513820540928 AS BIGINT)) = (`high_0` & CAST(3458764513820540928 AS BIGINT)) THEN 1
            WHEN (`low_0` & CAST(0 AS BIGINT)) = (`high_0` & CAST(0 AS BIGINT)) THEN 2
          END AS `level_0`
        FROM (
          SELECT
            region,
            MIN(`place_0`) AS `low_0`,
            MAX(`place_0`) AS `high_0`,
            CAST(SUM(row_count) AS BIGINT) AS row_count
          FROM `in pa'rts 1` AS s
          GROUP BY region
        ) AS r
      ) AS t
    ) AS b
    JOIN `no'des` AS `t0` ON `t0`.level = b.`level_0` AND `t0`.node = b.`node_0`
  ) AS v
) AS w
