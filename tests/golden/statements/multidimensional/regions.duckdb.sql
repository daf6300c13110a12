-- regions-part_0
CREATE TEMP TABLE "ends 0" AS
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
        WHEN b."low_0" = -1 THEN 1
        ELSE ("h0".measure - "l0".measure) / "h0".span
      END AS "width_0"
    FROM (
      SELECT
        t.*
      FROM (
        SELECT
          r.*
        FROM (
          SELECT
            region,
            MIN("place_0") AS "low_0",
            MAX("place_0") AS "high_0",
            CAST(SUM(row_count) AS BIGINT) AS row_count
          FROM "in pa'rts 0" AS s
          GROUP BY region
        ) AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = b."low_0"
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = b."high_0"
  ) AS v
) AS w
