-- branches
CREATE TEMP TABLE "bran'ches" AS
SELECT
  region,
  axis,
  low,
  high,
  1 + ROW_NUMBER() OVER (ORDER BY region, low) - 1 AS child
FROM (
  SELECT region, axis, CAST(-1 AS BIGINT) AS low, part AS high
  FROM "cuts; 0" AS c
  WHERE level = 0
  UNION ALL
  SELECT region, axis, part + 1 AS low, CAST(4611686018427387904 AS BIGINT) AS high
  FROM "cuts; 0" AS c
  WHERE level = 0
  UNION ALL
  SELECT
    c.region,
    c.axis,
    p.part AS low,
    p.part + CASE c.axis
      WHEN 2 THEN CASE c.level WHEN 1 THEN 0 WHEN 2 THEN 576460752303423488 END
    END AS high
  FROM "cuts; 0" AS c
  JOIN "parts; 0" AS p ON p.region = c.region AND p.axis = c.axis
  WHERE c.level > 0
  UNION ALL
  SELECT region, axis, CAST(-1 AS BIGINT) AS low, part AS high
  FROM "cuts; 1" AS c
  WHERE level = 0
  UNION ALL
  SELECT region, axis, part + 1 AS low, CAST(4611686018427387904 AS BIGINT) AS high
  FROM "cuts; 1" AS c
  WHERE level = 0
  UNION ALL
  SELECT
    c.region,
    c.axis,
    p.part AS low,
    p.part + CASE c.axis
      WHEN 2 THEN CASE c.level WHEN 1 THEN 0 WHEN 2 THEN 576460752303423488 END
    END AS high
  FROM "cuts; 1" AS c
  JOIN "parts; 1" AS p ON p.region = c.region AND p.axis = c.axis
  WHERE c.level > 0
) AS b
