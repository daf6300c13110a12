-- score_by_loss-distinct
CREATE TEMP TABLE "sco'red by values" AS
SELECT
  p.*,
  l.score
FROM "parts by val'ues" AS p
JOIN (
  SELECT
    region,
    axis,
    cut,
    CAST(SUM(row_count * CAST(FLOOR(("width_0" + CAST(1.5 AS DOUBLE) * "width_1" + "width_2") * 500000000 + 0.5) AS BIGINT)) AS BIGINT) AS score
  FROM (
    SELECT
      b.*,
      CASE WHEN b."different_0" = 1 THEN CAST(0 AS DOUBLE) ELSE CAST("b"."different_0" AS DOUBLE) / 8 END AS "width_0",
      CASE WHEN b."different_1" = 1 THEN CAST(0 AS DOUBLE) ELSE CAST("b"."different_1" AS DOUBLE) / 2 END AS "width_1",
      CASE WHEN b."different_2" = 1 THEN CAST(0 AS DOUBLE) ELSE CAST("b"."different_2" AS DOUBLE) / 4 END AS "width_2"
    FROM (
      SELECT
        t.*,
        t."low_2" & CASE t."level_2" WHEN 0 THEN 4035225266123964416 WHEN 1 THEN 3458764513820540928 ELSE CAST(0 AS BIGINT) END AS "node_2"
      FROM (
        SELECT
          r.*,
          CASE
            WHEN ("low_2" & 4035225266123964416) = ("high_2" & 4035225266123964416) THEN 0
            WHEN ("low_2" & 3458764513820540928) = ("high_2" & 3458764513820540928) THEN 1
            ELSE 2
          END AS "level_2"
        FROM "sides by val'ues" AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = b."low_0"
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = b."high_0"
    JOIN "no'des" AS "t2" ON "t2".level = b."level_2" AND "t2".node = b."node_2"
  ) AS v
  GROUP BY region, axis, cut
) AS l
  ON l.region = p.region AND l.axis = p.axis AND l.cut = CASE WHEN p.level > 0 THEN 0 ELSE p.part END
