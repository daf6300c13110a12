-- axis_parts-information
CREATE TEMP TABLE "parts by information" AS
WITH asked AS (
  SELECT region, 0 AS axis, "width_0" AS width, 0 AS level
  FROM "re'gions" AS r
  WHERE "width_0" > 0
    AND row_count >= 4
),
cells AS (
  SELECT
    a.region,
    a.axis,
    a.width,
    a.level,
    CAST(CASE a.axis
      WHEN 0 THEN "w"."place_0"
    END AS BIGINT) AS part,
    w.row_count
  FROM "tuples with a tar'get" AS w
  JOIN asked AS a ON a.region = w.region
)
SELECT
  p.*
FROM (
  SELECT region, axis, MAX(width) AS width, MAX(level) AS level, part, CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM cells AS c
  GROUP BY region, axis, part
) AS p
