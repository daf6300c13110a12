-- runs_of_tuples
CREATE TEMP TABLE "ru'ns" AS
WITH met AS (
  SELECT
    k.*,
    CASE WHEN k.block = k.runs THEN k.ends WHEN k.steps = 0 THEN 0 ELSE CAST((o.low_step * k.slack - (o.low_step * k.slack) % k.steps) / k.steps AS BIGINT) END AS own,
    CASE WHEN k.steps = 0 THEN 0 ELSE CAST((b.low_step * k.slack - (b.low_step * k.slack) % k.steps) / k.steps AS BIGINT) END AS before
  FROM "blo'cks" AS k
  LEFT JOIN (SELECT begins & -16 AS block, begins & 15 AS low_step FROM "cho'sen" AS c) AS o ON o.block = (k.section * 8 + k.block) * 16
  LEFT JOIN (SELECT begins & -16 AS block, begins & 15 AS low_step FROM "cho'sen" AS c) AS b ON b.block = (k.section * 8 + k.block - 1) * 16
)
SELECT
  leaf,
  section + (block - 1) * 2 + before AS region,
  "place_0", "place_1", "place_2", "spread_0", "spread_1", "entity",
  LEAST(ends, own) - begins AS row_count
FROM met AS m
WHERE begins < own
UNION ALL
SELECT
  leaf,
  section + block * 2 + own AS region,
  "place_0", "place_1", "place_2", "spread_0", "spread_1", "entity",
  ends - GREATEST(begins, own) AS row_count
FROM met AS m
WHERE ends > own
UNION ALL
SELECT
  p.leaf,
  p.region,
  "p"."place_0", "p"."place_1", "p"."place_2", "p"."spread_0", "p"."spread_1", "p"."entity",
  p.row_count
FROM "sec'tions" AS p
JOIN "coun'ted" AS s ON s.section = p.region
WHERE s.runs = 1
