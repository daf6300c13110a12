-- run_losses
CREATE TEMP TABLE "los'ses" AS
WITH "boundaries" AS (
  SELECT
    b.block * 16 + b.step - 1 AS begins,
    CASE WHEN (b.block & 7) + 1 = b.runs THEN b.block | 7 ELSE b.block + 1 END * 16 + n.number AS ends,
    2 + CASE WHEN b.steps = 0 THEN 0 ELSE CAST((n.number * b.slack - (n.number * b.slack) % b.steps - ((b.step - 1) * b.slack - ((b.step - 1) * b.slack) % b.steps)) / b.steps AS BIGINT) END AS row_count,
    ("b"."rest_up_to_0" | COALESCE("u"."first_up_to_0", 0)) & ("b"."rest_from_0" | COALESCE("u"."first_from_0", 0)) AS "word_0",
    LEAST("b"."rest_low_0", COALESCE("u"."first_low_0", "b"."rest_low_0")) AS "low_0",
    GREATEST("b"."rest_high_0", COALESCE("u"."first_high_0", "b"."rest_high_0")) AS "high_0",
    LEAST("b"."rest_low_2", COALESCE("u"."first_low_2", "b"."rest_low_2")) AS "low_2",
    GREATEST("b"."rest_high_2", COALESCE("u"."first_high_2", "b"."rest_high_2")) AS "high_2"
  FROM "boun'ded" AS b
  JOIN "spa'ns" AS n ON n.first = b.step - 1 AND n.last = b.steps
  LEFT JOIN "boun'ded" AS u ON u.block = b.block + 1 AND u.step = n.number
  WHERE (b.block & 7) < b.runs
    AND ((b.block & 7) > 0 OR b.step = 1)
    AND ((b.block & 7) + 1 < b.runs OR n.number = b.steps)
)
SELECT
  begins,
  ends,
  CAST(row_count * CAST(FLOOR(("width_0" + CAST(1.5 AS DOUBLE) * "width_1" + "width_2") * 500000 + 0.5) AS BIGINT) AS BIGINT) * 16 AS loss
FROM (
    SELECT
      b.*,
      CASE
        WHEN b."low_0" = b."high_0" THEN 0
        WHEN b."low_0" = -1 THEN 1
        ELSE ("h0".measure - "l0".measure) / "h0".span
      END AS "width_0",
      CASE
        WHEN ("b"."word_0" & 3) = 3 THEN 1
        ELSE (CAST(CAST(BIT_COUNT("b"."word_0" & (8 - 1)) AS BIGINT) AS DOUBLE) - 1) / 1
      END AS "width_1",
      CASE
        WHEN b."low_2" = b."high_2" THEN 0
        ELSE "t2".share
      END AS "width_2"
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
        FROM "boundaries" AS r
      ) AS t
    ) AS b
    JOIN (SELECT place, MIN(measure) AS measure FROM "line; 0" AS a GROUP BY place) AS "l0" ON "l0".place = b."low_0"
    JOIN (SELECT place, MIN(measure) AS measure, MIN(span) AS span FROM "line; 0" AS a GROUP BY place) AS "h0" ON "h0".place = b."high_0"
    JOIN "no'des" AS "t2" ON "t2".level = b."level_2" AND "t2".node = b."node_2"
) AS v
