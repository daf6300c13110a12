-- duckdb, postgres
CREATE TEMP TABLE "branches of rows" AS
SELECT
  region,
  axis,
  low,
  high,
  1 + ROW_NUMBER() OVER (ORDER BY region, low) - 1 AS child
FROM (
  SELECT c.region, c.axis, CAST(0 AS BIGINT) AS low, l.row_count AS high
  FROM "cuts at half" AS c
  JOIN "halves" AS l ON l.region = c.region AND l.axis = c.axis AND l.part = 0
  WHERE c.level = 0
  UNION ALL
  SELECT c.region, c.axis, l.row_count AS low, l.row_count + u.row_count AS high
  FROM "cuts at half" AS c
  JOIN "halves" AS l ON l.region = c.region AND l.axis = c.axis AND l.part = 0
  JOIN "halves" AS u ON u.region = c.region AND u.axis = c.axis AND u.part = 1
  WHERE c.level = 0
  UNION ALL
  SELECT
    c.region,
    c.axis,
    p.part AS low,
    p.part + CASE c.axis
      WHEN 2 THEN CASE c.level WHEN 1 THEN CAST(0 AS BIGINT) WHEN 2 THEN CAST(576460752303423488 AS BIGINT) END
    END AS high
  FROM "cuts at half" AS c
  JOIN "halves" AS p ON p.region = c.region AND p.axis = c.axis
  WHERE c.level > 0
) AS b

-- spark
CREATE TEMP VIEW `branches of rows` AS
SELECT
  region,
  axis,
  low,
  high,
  1 + ROW_NUMBER() OVER (ORDER BY region, low) - 1 AS child
FROM (
  SELECT c.region, c.axis, CAST(0 AS BIGINT) AS low, l.row_count AS high
  FROM `cuts at half` AS c
  JOIN `halves` AS l ON l.region = c.region AND l.axis = c.axis AND l.part = 0
  WHERE c.level = 0
  UNION ALL
  SELECT c.region, c.axis, l.row_count AS low, l.row_count + u.row_count AS high
  FROM `cuts at half` AS c
  JOIN `halves` AS l ON l.region = c.region AND l.axis = c.axis AND l.part = 0
  JOIN `halves` AS u ON u.region = c.region AND u.axis = c.axis AND u.part = 1
  WHERE c.level = 0
  UNION ALL
  SELECT
    c.region,
    c.axis,
    p.part AS low,
    p.part + CASE c.axis
      WHEN 2 THEN CASE c.level WHEN 1 THEN CAST(0 AS BIGINT) WHEN 2 THEN CAST(576460752303423488 AS BIGINT) END
    END AS high
  FROM `cuts at half` AS c
  JOIN `halves` AS p ON p.region = c.region AND p.axis = c.axis
  WHERE c.level > 0
) AS b
