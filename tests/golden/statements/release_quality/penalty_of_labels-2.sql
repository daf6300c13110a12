-- duckdb
SELECT COALESCE(SUM(l.row_count * CAST(ROUND(1000000000 * (
  CASE
    WHEN e.different = 1 THEN 0
    WHEN e.without > 0 THEN 1
    WHEN d.span > 0 THEN e.width / d.span
    ELSE 0
  END
)) AS BIGINT)), 0) AS penalty
FROM (
  SELECT
    label,
    SUM(row_count) AS row_count
  FROM "weigh'ed age
of 👩"
  GROUP BY label
) AS l
JOIN (
  SELECT
    label,
    COUNT(*) AS different,
    SUM(CASE WHEN spot IS NULL THEN 1 ELSE 0 END) AS without,
    MAX(spot) - MIN(spot) AS width
  FROM (
    SELECT
      v.label,
      CAST(CASE WHEN regexp_full_match(CAST("v"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000000000000 + CAST(FLOOR((TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000000000000) AS HUGEINT) END AS DOUBLE) AS spot
    FROM (
      SELECT
        label,
        value
      FROM "weigh'ed age
of 👩"
      UNION
      SELECT
        CONCAT(COALESCE('v' || decode(encode(CAST("p"."low_1" AS VARCHAR))), ''), '|', COALESCE('v' || decode(encode(CAST("p"."high_1" AS VARCHAR))), '')) AS label,
        d.value
      FROM "domain age
of 👩" AS d
      JOIN "complete age
of 👩" AS p
        ON "d"."value" IS NOT DISTINCT FROM "p"."value"      UNION
      SELECT
        CONCAT(COALESCE('v' || decode(encode(CAST("p"."low_2" AS VARCHAR))), ''), '|', COALESCE('v' || decode(encode(CAST("p"."high_2" AS VARCHAR))), '')) AS label,
        d.value
      FROM "domain age
of 👩" AS d
      JOIN "complete age
of 👩" AS p
        ON "d"."value" IS NOT DISTINCT FROM "p"."value"      UNION
      SELECT
        '|' AS label,
        d.value
      FROM "domain age
of 👩" AS d
      JOIN "complete age
of 👩" AS p
        ON "d"."value" IS NOT DISTINCT FROM "p"."value"    ) AS v
  ) AS s
  GROUP BY label
) AS e ON e.label = l.label
CROSS JOIN (
  SELECT
    COUNT(*) AS different,
    MAX(spot) - MIN(spot) AS span
  FROM (
    SELECT CAST(CASE WHEN regexp_full_match(CAST("v"."value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000000000000 + CAST(FLOOR((TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("v"."value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000000000000) AS HUGEINT) END AS DOUBLE) AS spot
    FROM "domain age
of 👩" AS v
  ) AS s
) AS d

-- postgres
SELECT COALESCE(SUM(l.row_count * CAST(ROUND(1000000000 * (
  CASE
    WHEN e.different = 1 THEN 0
    WHEN e.without > 0 THEN 1
    WHEN d.span > 0 THEN e.width / d.span
    ELSE 0
  END
)) AS BIGINT)), 0) AS penalty
FROM (
  SELECT
    label,
    SUM(row_count) AS row_count
  FROM "weigh'ed age
of 👩"
  GROUP BY label
) AS l
JOIN (
  SELECT
    label,
    COUNT(*) AS different,
    SUM(CASE WHEN spot IS NULL THEN 1 ELSE 0 END) AS without,
    MAX(spot) - MIN(spot) AS width
  FROM (
    SELECT
      v.label,
      CAST(CASE WHEN CASE WHEN CAST("v"."value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("v"."value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("v"."value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000000000000000) END AS DOUBLE PRECISION) AS spot
    FROM (
      SELECT
        label,
        value
      FROM "weigh'ed age
of 👩"
      UNION
      SELECT
        CONCAT(COALESCE('v' || (CAST("p"."low_1" AS TEXT) COLLATE "default"), ''), '|', COALESCE('v' || (CAST("p"."high_1" AS TEXT) COLLATE "default"), '')) AS label,
        d.value
      FROM "domain age
of 👩" AS d
      JOIN "complete age
of 👩" AS p
        ON ARRAY["d"."value"] = ARRAY["p"."value"]      UNION
      SELECT
        CONCAT(COALESCE('v' || (CAST("p"."low_2" AS TEXT) COLLATE "default"), ''), '|', COALESCE('v' || (CAST("p"."high_2" AS TEXT) COLLATE "default"), '')) AS label,
        d.value
      FROM "domain age
of 👩" AS d
      JOIN "complete age
of 👩" AS p
        ON ARRAY["d"."value"] = ARRAY["p"."value"]      UNION
      SELECT
        '|' AS label,
        d.value
      FROM "domain age
of 👩" AS d
      JOIN "complete age
of 👩" AS p
        ON ARRAY["d"."value"] = ARRAY["p"."value"]    ) AS v
  ) AS s
  GROUP BY label
) AS e ON e.label = l.label
CROSS JOIN (
  SELECT
    COUNT(*) AS different,
    MAX(spot) - MIN(spot) AS span
  FROM (
    SELECT CAST(CASE WHEN CASE WHEN CAST("v"."value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("v"."value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("v"."value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000000000000000) END AS DOUBLE PRECISION) AS spot
    FROM "domain age
of 👩" AS v
  ) AS s
) AS d

-- spark
SELECT COALESCE(SUM(l.row_count * CAST(ROUND(1000000000 * (
  CASE
    WHEN e.different = 1 THEN 0
    WHEN e.without > 0 THEN 1
    WHEN d.span > 0 THEN e.width / d.span
    ELSE 0
  END
)) AS BIGINT)), 0) AS penalty
FROM (
  SELECT
    label,
    SUM(row_count) AS row_count
  FROM `weigh'ed age
of 👩`
  GROUP BY label
) AS l
JOIN (
  SELECT
    label,
    COUNT(*) AS different,
    SUM(CASE WHEN spot IS NULL THEN 1 ELSE 0 END) AS without,
    MAX(spot) - MIN(spot) AS width
  FROM (
    SELECT
      v.label,
      CAST(CASE WHEN REGEXP_EXTRACT(CAST(`v`.`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`v`.`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`v`.`value` AS STRING) AS DECIMAL(30, 15)) * 1000000000000000) AS DECIMAL(38, 0)) END AS DOUBLE) AS spot
    FROM (
      SELECT
        label,
        value
      FROM `weigh'ed age
of 👩`
      UNION
      SELECT
        CONCAT(COALESCE('v' || (CAST(`p`.`low_1` AS STRING) COLLATE UTF8_BINARY), ''), '|', COALESCE('v' || (CAST(`p`.`high_1` AS STRING) COLLATE UTF8_BINARY), '')) AS label,
        d.value
      FROM `domain age
of 👩` AS d
      JOIN `complete age
of 👩` AS p
        ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`      UNION
      SELECT
        CONCAT(COALESCE('v' || (CAST(`p`.`low_2` AS STRING) COLLATE UTF8_BINARY), ''), '|', COALESCE('v' || (CAST(`p`.`high_2` AS STRING) COLLATE UTF8_BINARY), '')) AS label,
        d.value
      FROM `domain age
of 👩` AS d
      JOIN `complete age
of 👩` AS p
        ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`      UNION
      SELECT
        '|' AS label,
        d.value
      FROM `domain age
of 👩` AS d
      JOIN `complete age
of 👩` AS p
        ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`    ) AS v
  ) AS s
  GROUP BY label
) AS e ON e.label = l.label
CROSS JOIN (
  SELECT
    COUNT(*) AS different,
    MAX(spot) - MIN(spot) AS span
  FROM (
    SELECT CAST(CASE WHEN REGEXP_EXTRACT(CAST(`v`.`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`v`.`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`v`.`value` AS STRING) AS DECIMAL(30, 15)) * 1000000000000000) AS DECIMAL(38, 0)) END AS DOUBLE) AS spot
    FROM `domain age
of 👩` AS v
  ) AS s
) AS d
