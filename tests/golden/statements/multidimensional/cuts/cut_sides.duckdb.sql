-- cut_sides-lines
CREATE TEMP TABLE "sid'es-lines" AS
WITH asked AS (
  SELECT
    region,
    axis,
    widest AS width,
    CASE WHEN axis IS NULL THEN 0 ELSE 0 END AS level
  FROM "re'gions" AS r
  WHERE axis IS NOT NULL AND row_count >= 4
),
cells AS (
  SELECT
    a.region,
    a.axis,
    a.width,
    a.level,
    CAST(CASE a.axis
      WHEN 0 THEN "w"."place_0"
      WHEN 1 THEN "w"."place_1"
    END AS BIGINT) AS part,
    w."spread_0",
    w.row_count
  FROM "wor'king" AS w
  JOIN asked AS a ON a.region = w.region
),
valued AS (
  SELECT region, axis, part, "spread_0", CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM cells AS c
  GROUP BY region, axis, part, "spread_0"
),
running AS (
  SELECT
    z.*,
    CAST(SUM(row_count) OVER (PARTITION BY region, axis, "spread_0" ORDER BY part ROWS UNBOUNDED PRECEDING) AS BIGINT) AS up_to,
    CAST(SUM(row_count) OVER (PARTITION BY region, axis, "spread_0") AS BIGINT) AS all_rows
  FROM (
    SELECT region, axis, part, "spread_0", SUM(row_count) AS row_count
    FROM (
      SELECT region, axis, part, "spread_0", row_count
      FROM valued AS v
      UNION ALL
      SELECT p.region, p.axis, p.part, d."spread_0", 0 AS row_count
      FROM (SELECT DISTINCT region, axis, part FROM valued AS v) AS p
      JOIN (SELECT DISTINCT region, axis, "spread_0" FROM valued AS v) AS d ON d.region = p.region AND d.axis = p.axis
    ) AS u
    GROUP BY region, axis, part, "spread_0"
  ) AS z
)
SELECT region, axis, part, CAST(0 AS BIGINT) AS side, "spread_0", up_to AS row_count
FROM running AS r
WHERE up_to > 0
UNION ALL
SELECT region, axis, part, CAST(1 AS BIGINT) AS side, "spread_0", all_rows - up_to AS row_count
FROM running AS r
WHERE all_rows > up_to
