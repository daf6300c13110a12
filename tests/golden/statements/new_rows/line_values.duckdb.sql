-- line_values
CREATE TEMP TABLE "val'ues 0" AS
WITH v AS (
  SELECT
    place,
    value,
    ROW_NUMBER() OVER (PARTITION BY place ORDER BY CAST("a"."value" AS VARCHAR)) AS nth,
    ROW_NUMBER() OVER (PARTITION BY place ORDER BY CAST("a"."value" AS VARCHAR) DESC) AS nth_last
  FROM "line; 0" AS a
)
SELECT f.place, f.value, l.value AS last_value
FROM v AS f
JOIN v AS l ON l.place = f.place
WHERE f.nth = 1 AND l.nth_last = 1
