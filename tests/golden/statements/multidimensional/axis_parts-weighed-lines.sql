-- duckdb, postgres
CREATE TEMP TABLE "parts weigh'ed-lines" AS
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
    w.row_count
  FROM "wor'king" AS w
  JOIN asked AS a ON a.region = w.region
)
SELECT
  p.*
FROM (
  SELECT region, axis, MAX(width) AS width, MAX(level) AS level, part, CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM cells AS c
  GROUP BY region, axis, part
) AS p

-- spark
CREATE TEMP VIEW `parts weigh'ed-lines` AS
WITH asked AS (
  SELECT
    region,
    axis,
    widest AS width,
    CASE WHEN axis IS NULL THEN 0 ELSE 0 END AS level
  FROM `re'gions` AS r
  WHERE axis IS NOT NULL AND row_count >= 4
),
cells AS (
  SELECT
    a.region,
    a.axis,
    a.width,
    a.level,
    CAST(CASE a.axis
      WHEN 0 THEN `w`.`place_0`
      WHEN 1 THEN `w`.`place_1`
    END AS BIGINT) AS part,
    w.row_count
  FROM `wor'king` AS w
  JOIN asked AS a ON a.region = w.region
)
SELECT
  p.*
FROM (
  SELECT region, axis, MAX(width) AS width, MAX(level) AS level, part, CAST(SUM(row_count) AS BIGINT) AS row_count
  FROM cells AS c
  GROUP BY region, axis, part
) AS p
