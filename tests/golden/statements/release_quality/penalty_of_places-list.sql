-- duckdb
SELECT COALESCE(SUM(l.row_count * CAST(ROUND(1000000000 * (
  CASE
    WHEN l.last_place < 0 THEN 0
    WHEN l.first_place < 0 THEN 1
    WHEN l.first_place = l.last_place THEN 0
    ELSE CAST("l"."places" AS DOUBLE) / CAST("d"."different" AS DOUBLE)
  END
)) AS BIGINT)), 0) AS penalty
FROM (
  SELECT
    c.label,
    SUM(c.row_count) AS row_count,
    MIN(a.place) AS first_place,
    MAX(a.place) AS last_place,
    MAX(a.place) - MIN(a.place) + 1 AS places
  FROM "weigh'ed places of se""x" AS c
  JOIN "line; 2" AS a ON "c"."value" IS NOT DISTINCT FROM "a"."value"
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
      CASE WHEN "v"."value" IS NOT NULL THEN CAST(0 AS DOUBLE) END AS spot
    FROM "line; 2" AS v
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
      CASE WHEN "v"."value" IS NOT NULL THEN CAST(0 AS DOUBLE) END AS spot
    FROM "line; 2" AS v
  ) AS s
  GROUP BY place) AS t ON t.place = l.last_place
CROSS JOIN (
  SELECT
    COUNT(*) AS different,
    MAX(spot) - MIN(spot) AS span
  FROM (
    SELECT CASE WHEN "v"."value" IS NOT NULL THEN CAST(0 AS DOUBLE) END AS spot
    FROM "line; 2" AS v
  ) AS s
) AS d

-- postgres
SELECT COALESCE(SUM(l.row_count * CAST(ROUND(1000000000 * (
  CASE
    WHEN l.last_place < 0 THEN 0
    WHEN l.first_place < 0 THEN 1
    WHEN l.first_place = l.last_place THEN 0
    ELSE CAST("l"."places" AS DOUBLE PRECISION) / CAST("d"."different" AS DOUBLE PRECISION)
  END
)) AS BIGINT)), 0) AS penalty
FROM (
  SELECT
    c.label,
    SUM(c.row_count) AS row_count,
    MIN(a.place) AS first_place,
    MAX(a.place) AS last_place,
    MAX(a.place) - MIN(a.place) + 1 AS places
  FROM "weigh'ed places of se""x" AS c
  JOIN "line; 2" AS a ON ARRAY["c"."value"] = ARRAY["a"."value"]
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
      CASE WHEN "v"."value" IS NOT NULL THEN CAST(0 AS DOUBLE PRECISION) END AS spot
    FROM "line; 2" AS v
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
      CASE WHEN "v"."value" IS NOT NULL THEN CAST(0 AS DOUBLE PRECISION) END AS spot
    FROM "line; 2" AS v
  ) AS s
  GROUP BY place) AS t ON t.place = l.last_place
CROSS JOIN (
  SELECT
    COUNT(*) AS different,
    MAX(spot) - MIN(spot) AS span
  FROM (
    SELECT CASE WHEN "v"."value" IS NOT NULL THEN CAST(0 AS DOUBLE PRECISION) END AS spot
    FROM "line; 2" AS v
  ) AS s
) AS d

-- spark
SELECT COALESCE(SUM(l.row_count * CAST(ROUND(1000000000 * (
  CASE
    WHEN l.last_place < 0 THEN 0
    WHEN l.first_place < 0 THEN 1
    WHEN l.first_place = l.last_place THEN 0
    ELSE CAST(`l`.`places` AS DOUBLE) / CAST(`d`.`different` AS DOUBLE)
  END
)) AS BIGINT)), 0) AS penalty
FROM (
  SELECT
    c.label,
    SUM(c.row_count) AS row_count,
    MIN(a.place) AS first_place,
    MAX(a.place) AS last_place,
    MAX(a.place) - MIN(a.place) + 1 AS places
  FROM `weigh'ed places of se"x` AS c
  JOIN `line; 2` AS a ON `c`.`value` IS NOT DISTINCT FROM `a`.`value`
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
      CASE WHEN `v`.`value` IS NOT NULL THEN CAST(0 AS DOUBLE) END AS spot
    FROM `line; 2` AS v
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
      CASE WHEN `v`.`value` IS NOT NULL THEN CAST(0 AS DOUBLE) END AS spot
    FROM `line; 2` AS v
  ) AS s
  GROUP BY place) AS t ON t.place = l.last_place
CROSS JOIN (
  SELECT
    COUNT(*) AS different,
    MAX(spot) - MIN(spot) AS span
  FROM (
    SELECT CASE WHEN `v`.`value` IS NOT NULL THEN CAST(0 AS DOUBLE) END AS spot
    FROM `line; 2` AS v
  ) AS s
) AS d
