-- line_cuts
CREATE TEMP TABLE "cuts of li'nes" AS
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
      WHEN 2 THEN "w"."place_2"
    END AS BIGINT) AS part,
    w.row_count
  FROM "wor'king" AS w
  JOIN asked AS a ON a.region = w.region
)
SELECT region, axis, 0 AS level, part
FROM (
  SELECT
    region,
    axis,
    part,
    ROW_NUMBER() OVER (PARTITION BY region ORDER BY width DESC, axis, ABS(left_rows - right_rows), part) AS choice
  FROM (
    SELECT
      p.region,
      p.axis,
      p.width,
      p.part,
      p.left_rows,
      r.row_count - p.left_rows AS right_rows
    FROM (
      SELECT
        region,
        axis,
        width,
        part,
        SUM(row_count) OVER (PARTITION BY region, axis ORDER BY part ROWS UNBOUNDED PRECEDING) AS left_rows
      FROM (
        SELECT region, axis, MAX(width) AS width, part, SUM(row_count) AS row_count
        FROM cells AS c
        GROUP BY region, axis, part
      ) AS q
    ) AS p
    JOIN "re'gions" AS r ON r.region = p.region
  ) AS s
  WHERE left_rows >= 2 AND right_rows >= 2
) AS c
WHERE choice = 1
