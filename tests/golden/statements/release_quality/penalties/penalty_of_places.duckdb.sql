-- penalty_of_places
SELECT COALESCE(SUM(l.row_count * CAST(ROUND(1000000000 * (
  CASE
    WHEN l.last_place < 0 THEN 0
    WHEN l.first_place < 0 THEN 1
    WHEN d.span > 0 THEN (t.highest - f.lowest) / d.span
    ELSE 0
  END
)) AS BIGINT)), 0) AS penalty
FROM (
  SELECT
    c.label,
    SUM(c.row_count) AS row_count,
    MIN(a.place) AS first_place,
    MAX(a.place) AS last_place,
    MAX(a.place) - MIN(a.place) + 1 AS places
  FROM "weigh'ed places of age
of 👩" AS c
  JOIN "line; 0" AS a ON "c"."value" IS NOT DISTINCT FROM "a"."value"
  GROUP BY c.label
) AS l
LEFT JOIN (
SELECT
    place,
    MIN(spot) AS lowest,
    MAX(spot) AS highest
  FROM (
    SELECT
      v.place,
      CAST(CASE WHEN regexp_full_match(CAST("v"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000000000000 + CAST(FLOOR((TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000000000000) AS HUGEINT) END AS DOUBLE) AS spot
    FROM "line; 0" AS v
  ) AS s
  GROUP BY place) AS f ON f.place = l.first_place
LEFT JOIN (
SELECT
    place,
    MIN(spot) AS lowest,
    MAX(spot) AS highest
  FROM (
    SELECT
      v.place,
      CAST(CASE WHEN regexp_full_match(CAST("v"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000000000000 + CAST(FLOOR((TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000000000000) AS HUGEINT) END AS DOUBLE) AS spot
    FROM "line; 0" AS v
  ) AS s
  GROUP BY place) AS t ON t.place = l.last_place
CROSS JOIN (
  SELECT
    COUNT(*) AS different,
    MAX(spot) - MIN(spot) AS span
  FROM (
    SELECT CAST(CASE WHEN regexp_full_match(CAST("v"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000000000000 + CAST(FLOOR((TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000000000000) AS HUGEINT) END AS DOUBLE) AS spot
    FROM "line; 0" AS v
  ) AS s
) AS d
