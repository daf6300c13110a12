-- values_of_cells
CREATE TEMP TABLE "cover'ed by interval" AS
SELECT
  a.value,
  COALESCE('v' || decode(encode(CAST("a"."value" AS VARCHAR))), '') AS own,
  a.spot AS place,
  l.label
FROM (
  SELECT
    c.label,
    MIN(a.place) AS first_place,
    MAX(a.place) AS last_place
  FROM "weigh'ed places of age
of 👩" AS c
  JOIN "line; 0" AS a ON "c"."value" IS NOT DISTINCT FROM "a"."value"
  GROUP BY c.label
) AS l
JOIN (
  SELECT
    value,
    place,
    DENSE_RANK() OVER (ORDER BY place) AS spot
  FROM "line; 0"
) AS a
  ON (l.first_place < 0 AND l.last_place >= 0) OR a.place BETWEEN l.first_place AND l.last_place
