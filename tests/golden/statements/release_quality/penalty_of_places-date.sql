-- duckdb
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
  FROM "weigh'ed places of vis.it" AS c
  JOIN "line by units" AS a ON "c"."value" IS NOT DISTINCT FROM "a"."value"
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
      CAST(DATE_DIFF('day', DATE '1970-01-01', CASE WHEN regexp_full_match(CAST("v"."value" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("v"."value" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END) AS DOUBLE) AS spot
    FROM "line by units" AS v
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
      CAST(DATE_DIFF('day', DATE '1970-01-01', CASE WHEN regexp_full_match(CAST("v"."value" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("v"."value" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END) AS DOUBLE) AS spot
    FROM "line by units" AS v
  ) AS s
  GROUP BY place) AS t ON t.place = l.last_place
CROSS JOIN (
  SELECT
    COUNT(*) AS different,
    MAX(spot) - MIN(spot) AS span
  FROM (
    SELECT CAST(DATE_DIFF('day', DATE '1970-01-01', CASE WHEN regexp_full_match(CAST("v"."value" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("v"."value" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END) AS DOUBLE) AS spot
    FROM "line by units" AS v
  ) AS s
) AS d

-- postgres
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
  FROM "weigh'ed places of vis.it" AS c
  JOIN "line by units" AS a ON ARRAY["c"."value"] = ARRAY["a"."value"]
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
      CAST((CASE WHEN CAST("v"."value" AS TEXT) ~ '^([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)$' THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER) > 0 AND CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER) BETWEEN 1 AND 12 THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 3) AS INTEGER) BETWEEN 1 AND EXTRACT(DAY FROM MAKE_DATE(CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER), CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER), 1) + INTERVAL '1 month - 1 day') THEN CAST(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1) || CASE WHEN CAST("v"."value" AS TEXT) LIKE '%BC%' THEN ' BC' ELSE '' END AS DATE) END END END - DATE '1970-01-01') AS DOUBLE PRECISION) AS spot
    FROM "line by units" AS v
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
      CAST((CASE WHEN CAST("v"."value" AS TEXT) ~ '^([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)$' THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER) > 0 AND CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER) BETWEEN 1 AND 12 THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 3) AS INTEGER) BETWEEN 1 AND EXTRACT(DAY FROM MAKE_DATE(CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER), CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER), 1) + INTERVAL '1 month - 1 day') THEN CAST(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1) || CASE WHEN CAST("v"."value" AS TEXT) LIKE '%BC%' THEN ' BC' ELSE '' END AS DATE) END END END - DATE '1970-01-01') AS DOUBLE PRECISION) AS spot
    FROM "line by units" AS v
  ) AS s
  GROUP BY place) AS t ON t.place = l.last_place
CROSS JOIN (
  SELECT
    COUNT(*) AS different,
    MAX(spot) - MIN(spot) AS span
  FROM (
    SELECT CAST((CASE WHEN CAST("v"."value" AS TEXT) ~ '^([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)$' THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER) > 0 AND CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER) BETWEEN 1 AND 12 THEN CASE WHEN CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 3) AS INTEGER) BETWEEN 1 AND EXTRACT(DAY FROM MAKE_DATE(CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 1) AS INTEGER), CAST(SPLIT_PART(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1), '-', 2) AS INTEGER), 1) + INTERVAL '1 month - 1 day') THEN CAST(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS TEXT), ' ', 1), 'T', 1) || CASE WHEN CAST("v"."value" AS TEXT) LIKE '%BC%' THEN ' BC' ELSE '' END AS DATE) END END END - DATE '1970-01-01') AS DOUBLE PRECISION) AS spot
    FROM "line by units" AS v
  ) AS s
) AS d

-- spark
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
  FROM `weigh'ed places of vis.it` AS c
  JOIN `line by units` AS a ON `c`.`value` IS NOT DISTINCT FROM `a`.`value`
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
      CAST(DATEDIFF(CASE WHEN REGEXP_EXTRACT(CAST(`v`.`value` AS STRING), '([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)', 1) = CAST(`v`.`value` AS STRING) THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST(`v`.`value` AS STRING), ' ', 1), 'T', 1) || CASE WHEN CAST(`v`.`value` AS STRING) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END, DATE '1970-01-01') AS DOUBLE) AS spot
    FROM `line by units` AS v
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
      CAST(DATEDIFF(CASE WHEN REGEXP_EXTRACT(CAST(`v`.`value` AS STRING), '([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)', 1) = CAST(`v`.`value` AS STRING) THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST(`v`.`value` AS STRING), ' ', 1), 'T', 1) || CASE WHEN CAST(`v`.`value` AS STRING) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END, DATE '1970-01-01') AS DOUBLE) AS spot
    FROM `line by units` AS v
  ) AS s
  GROUP BY place) AS t ON t.place = l.last_place
CROSS JOIN (
  SELECT
    COUNT(*) AS different,
    MAX(spot) - MIN(spot) AS span
  FROM (
    SELECT CAST(DATEDIFF(CASE WHEN REGEXP_EXTRACT(CAST(`v`.`value` AS STRING), '([0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?)', 1) = CAST(`v`.`value` AS STRING) THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST(`v`.`value` AS STRING), ' ', 1), 'T', 1) || CASE WHEN CAST(`v`.`value` AS STRING) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END, DATE '1970-01-01') AS DOUBLE) AS spot
    FROM `line by units` AS v
  ) AS s
) AS d
