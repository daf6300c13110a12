-- duckdb
CREATE TEMP TABLE "measu'red values age
of 👩" AS
SELECT
  d.value,
  COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS own,
  d.place,
  CONCAT(COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), ''), '|', COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '')) AS label
FROM (
  SELECT
    value,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END IS NULL THEN 1 ELSE 0 END,
        CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END,
        encode(CAST("value" AS VARCHAR))
    ) AS place
  FROM "domain age
of 👩" AS v
) AS d
JOIN "complete age
of 👩" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"UNION ALL
SELECT
  d.value,
  COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS own,
  d.place,
  CONCAT(COALESCE('v' || decode(encode(CAST("p"."low_1" AS VARCHAR))), ''), '|', COALESCE('v' || decode(encode(CAST("p"."high_1" AS VARCHAR))), '')) AS label
FROM (
  SELECT
    value,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END IS NULL THEN 1 ELSE 0 END,
        CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END,
        encode(CAST("value" AS VARCHAR))
    ) AS place
  FROM "domain age
of 👩" AS v
) AS d
JOIN "complete age
of 👩" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"UNION ALL
SELECT
  d.value,
  COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS own,
  d.place,
  CONCAT(COALESCE('v' || decode(encode(CAST("p"."low_2" AS VARCHAR))), ''), '|', COALESCE('v' || decode(encode(CAST("p"."high_2" AS VARCHAR))), '')) AS label
FROM (
  SELECT
    value,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END IS NULL THEN 1 ELSE 0 END,
        CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END,
        encode(CAST("value" AS VARCHAR))
    ) AS place
  FROM "domain age
of 👩" AS v
) AS d
JOIN "complete age
of 👩" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"UNION ALL
SELECT
  d.value,
  COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS own,
  d.place,
  '|' AS label
FROM (
  SELECT
    value,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END IS NULL THEN 1 ELSE 0 END,
        CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END,
        encode(CAST("value" AS VARCHAR))
    ) AS place
  FROM "domain age
of 👩" AS v
) AS d
JOIN "complete age
of 👩" AS p
  ON "d"."value" IS NOT DISTINCT FROM "p"."value"

-- postgres
CREATE TEMP TABLE "measu'red values age
of 👩" AS
SELECT
  d.value,
  COALESCE('v' || (CAST("d"."value" AS TEXT) COLLATE "default"), '') AS own,
  d.place,
  CONCAT(COALESCE('v' || (CAST("d"."value" AS TEXT) COLLATE "default"), ''), '|', COALESCE('v' || (CAST("d"."value" AS TEXT) COLLATE "default"), '')) AS label
FROM (
  SELECT
    value,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN CASE WHEN CASE WHEN CAST("value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000000) END IS NULL THEN 1 ELSE 0 END,
        CASE WHEN CASE WHEN CAST("value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000000) END,
        (CAST("value" AS TEXT) COLLATE "C")
    ) AS place
  FROM "domain age
of 👩" AS v
) AS d
JOIN "complete age
of 👩" AS p
  ON ARRAY["d"."value"] = ARRAY["p"."value"]UNION ALL
SELECT
  d.value,
  COALESCE('v' || (CAST("d"."value" AS TEXT) COLLATE "default"), '') AS own,
  d.place,
  CONCAT(COALESCE('v' || (CAST("p"."low_1" AS TEXT) COLLATE "default"), ''), '|', COALESCE('v' || (CAST("p"."high_1" AS TEXT) COLLATE "default"), '')) AS label
FROM (
  SELECT
    value,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN CASE WHEN CASE WHEN CAST("value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000000) END IS NULL THEN 1 ELSE 0 END,
        CASE WHEN CASE WHEN CAST("value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000000) END,
        (CAST("value" AS TEXT) COLLATE "C")
    ) AS place
  FROM "domain age
of 👩" AS v
) AS d
JOIN "complete age
of 👩" AS p
  ON ARRAY["d"."value"] = ARRAY["p"."value"]UNION ALL
SELECT
  d.value,
  COALESCE('v' || (CAST("d"."value" AS TEXT) COLLATE "default"), '') AS own,
  d.place,
  CONCAT(COALESCE('v' || (CAST("p"."low_2" AS TEXT) COLLATE "default"), ''), '|', COALESCE('v' || (CAST("p"."high_2" AS TEXT) COLLATE "default"), '')) AS label
FROM (
  SELECT
    value,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN CASE WHEN CASE WHEN CAST("value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000000) END IS NULL THEN 1 ELSE 0 END,
        CASE WHEN CASE WHEN CAST("value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000000) END,
        (CAST("value" AS TEXT) COLLATE "C")
    ) AS place
  FROM "domain age
of 👩" AS v
) AS d
JOIN "complete age
of 👩" AS p
  ON ARRAY["d"."value"] = ARRAY["p"."value"]UNION ALL
SELECT
  d.value,
  COALESCE('v' || (CAST("d"."value" AS TEXT) COLLATE "default"), '') AS own,
  d.place,
  '|' AS label
FROM (
  SELECT
    value,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN CASE WHEN CASE WHEN CAST("value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000000) END IS NULL THEN 1 ELSE 0 END,
        CASE WHEN CASE WHEN CAST("value" AS TEXT) ~ '^([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)$' THEN ABS(CAST(CAST("value" AS TEXT) AS NUMERIC)) < 1000000000000000 ELSE FALSE END THEN FLOOR(CAST(CAST(CAST("value" AS TEXT) AS NUMERIC) AS NUMERIC(30, 15)) * 1000000) END,
        (CAST("value" AS TEXT) COLLATE "C")
    ) AS place
  FROM "domain age
of 👩" AS v
) AS d
JOIN "complete age
of 👩" AS p
  ON ARRAY["d"."value"] = ARRAY["p"."value"]

-- spark
CREATE TEMP VIEW `measu'red values age
of 👩` AS
SELECT
  d.value,
  COALESCE('v' || (CAST(`d`.`value` AS STRING) COLLATE UTF8_BINARY), '') AS own,
  d.place,
  CONCAT(COALESCE('v' || (CAST(`d`.`value` AS STRING) COLLATE UTF8_BINARY), ''), '|', COALESCE('v' || (CAST(`d`.`value` AS STRING) COLLATE UTF8_BINARY), '')) AS label
FROM (
  SELECT
    value,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN CASE WHEN REGEXP_EXTRACT(CAST(`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`value` AS STRING) AS DECIMAL(30, 15)) * 1000000) AS DECIMAL(38, 0)) END IS NULL THEN 1 ELSE 0 END,
        CASE WHEN REGEXP_EXTRACT(CAST(`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`value` AS STRING) AS DECIMAL(30, 15)) * 1000000) AS DECIMAL(38, 0)) END,
        CAST(CAST(`value` AS STRING) AS BINARY)
    ) AS place
  FROM `domain age
of 👩` AS v
) AS d
JOIN `complete age
of 👩` AS p
  ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`UNION ALL
SELECT
  d.value,
  COALESCE('v' || (CAST(`d`.`value` AS STRING) COLLATE UTF8_BINARY), '') AS own,
  d.place,
  CONCAT(COALESCE('v' || (CAST(`p`.`low_1` AS STRING) COLLATE UTF8_BINARY), ''), '|', COALESCE('v' || (CAST(`p`.`high_1` AS STRING) COLLATE UTF8_BINARY), '')) AS label
FROM (
  SELECT
    value,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN CASE WHEN REGEXP_EXTRACT(CAST(`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`value` AS STRING) AS DECIMAL(30, 15)) * 1000000) AS DECIMAL(38, 0)) END IS NULL THEN 1 ELSE 0 END,
        CASE WHEN REGEXP_EXTRACT(CAST(`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`value` AS STRING) AS DECIMAL(30, 15)) * 1000000) AS DECIMAL(38, 0)) END,
        CAST(CAST(`value` AS STRING) AS BINARY)
    ) AS place
  FROM `domain age
of 👩` AS v
) AS d
JOIN `complete age
of 👩` AS p
  ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`UNION ALL
SELECT
  d.value,
  COALESCE('v' || (CAST(`d`.`value` AS STRING) COLLATE UTF8_BINARY), '') AS own,
  d.place,
  CONCAT(COALESCE('v' || (CAST(`p`.`low_2` AS STRING) COLLATE UTF8_BINARY), ''), '|', COALESCE('v' || (CAST(`p`.`high_2` AS STRING) COLLATE UTF8_BINARY), '')) AS label
FROM (
  SELECT
    value,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN CASE WHEN REGEXP_EXTRACT(CAST(`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`value` AS STRING) AS DECIMAL(30, 15)) * 1000000) AS DECIMAL(38, 0)) END IS NULL THEN 1 ELSE 0 END,
        CASE WHEN REGEXP_EXTRACT(CAST(`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`value` AS STRING) AS DECIMAL(30, 15)) * 1000000) AS DECIMAL(38, 0)) END,
        CAST(CAST(`value` AS STRING) AS BINARY)
    ) AS place
  FROM `domain age
of 👩` AS v
) AS d
JOIN `complete age
of 👩` AS p
  ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`UNION ALL
SELECT
  d.value,
  COALESCE('v' || (CAST(`d`.`value` AS STRING) COLLATE UTF8_BINARY), '') AS own,
  d.place,
  '|' AS label
FROM (
  SELECT
    value,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN CASE WHEN REGEXP_EXTRACT(CAST(`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`value` AS STRING) AS DECIMAL(30, 15)) * 1000000) AS DECIMAL(38, 0)) END IS NULL THEN 1 ELSE 0 END,
        CASE WHEN REGEXP_EXTRACT(CAST(`value` AS STRING), '([+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?)', 1) = CAST(`value` AS STRING) THEN CAST(FLOOR(TRY_CAST(CAST(`value` AS STRING) AS DECIMAL(30, 15)) * 1000000) AS DECIMAL(38, 0)) END,
        CAST(CAST(`value` AS STRING) AS BINARY)
    ) AS place
  FROM `domain age
of 👩` AS v
) AS d
JOIN `complete age
of 👩` AS p
  ON `d`.`value` IS NOT DISTINCT FROM `p`.`value`
