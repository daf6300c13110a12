-- apportioned_rare
CREATE TEMP TABLE "rows of ra're" AS
SELECT
  c.quasi,
  c.region,
  CAST(SUM(c.row_count) AS BIGINT) AS row_count,
  MIN(c.place) AS place
FROM "counts'" AS c
JOIN "ra're-entity" AS r
  ON r.axis = c.quasi
  AND r.place = c.place
GROUP BY c.quasi, c.region
