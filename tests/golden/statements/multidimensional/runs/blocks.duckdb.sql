-- blocks
CREATE TEMP TABLE "blo'cks" AS
SELECT
  leaf,
  section,
  block,
  runs,
  slack,
  steps,
  begins,
  ends,
  CASE WHEN begins >= slack THEN steps + 1 ELSE CAST(((begins + 1) * steps + slack - 1 - ((begins + 1) * steps + slack - 1) % slack) / slack AS BIGINT) END AS first_step,
  CASE WHEN ends > slack THEN steps + 1 ELSE CAST((ends * steps + slack - 1 - (ends * steps + slack - 1) % slack) / slack AS BIGINT) END AS last_step,
  "place_0", "place_1", "place_2", "spread_0", "spread_1", "entity"
FROM (
  SELECT
    p.*,
    first_block + n.number AS block,
    GREATEST(low - (first_block + n.number) * 2, 0) AS begins,
    LEAST(high - (first_block + n.number) * 2, 2) AS ends
  FROM (
    SELECT
      p.*,
      CAST((low - low % 2) / 2 AS BIGINT) AS first_block,
      CAST((high - 1 - (high - 1) % 2) / 2 AS BIGINT) AS last_block
    FROM (
      SELECT
        p.leaf,
        "p"."place_0", "p"."place_1", "p"."place_2", "p"."spread_0", "p"."spread_1", "p"."entity",
        s.section,
        s.runs,
        s.slack,
        s.steps,
        p.start_row - s.section AS low,
        p.start_row - s.section + p.row_count AS high
      FROM "sec'tions" AS p
      JOIN "coun'ted" AS s ON s.section = p.region
      WHERE s.runs > 1
    ) AS p
  ) AS p
  JOIN "spa'ns" AS n ON n.first = 0 AND n.last = p.last_block - p.first_block
) AS b
