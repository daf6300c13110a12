CREATE TEMP TABLE "val'ues 1" AS
SELECT place, value
FROM (
  SELECT place, value, ROW_NUMBER() OVER (PARTITION BY place ORDER BY CAST("a"."value" AS TEXT)) AS nth
  FROM "line; 2" AS a
) AS v
WHERE nth = 1
