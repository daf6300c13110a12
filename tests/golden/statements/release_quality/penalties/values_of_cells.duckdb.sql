-- values_of_cells
CREATE TEMP TABLE "cover'ed by interval" AS
SELECT
  a.value,
  COALESCE('v' || decode(encode(CAST("a"."value" AS VARCHAR))), '') AS own,
  a.spot AS place,
  a.number,
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
    CASE WHEN regexp_full_match(CAST("v"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END AS number,
    DENSE_RANK() OVER (ORDER BY place) AS spot
  FROM "line; 0" AS v
) AS a
  ON (l.first_place < 0 AND l.last_place >= 0) OR a.place BETWEEN l.first_place AND l.last_place
