-- apportioned_columns
SELECT c.quasi
FROM (
  SELECT
    quasi,
    COUNT(DISTINCT region) AS regions
  FROM "counts'" AS c
  GROUP BY quasi
) AS c
JOIN (
  SELECT
    quasi,
    COUNT(DISTINCT region) AS regions
  FROM "common'" AS m
  GROUP BY quasi
) AS m
  ON m.quasi = c.quasi
  AND m.regions = c.regions
