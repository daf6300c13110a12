-- values
CREATE TEMP TABLE "measu'red values se""x" AS
SELECT
  d.value,
  COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS own,
  d.place,
  COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS label
FROM (
  SELECT
    value,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END IS NULL THEN 1 ELSE 0 END,
        CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END,
        encode(CAST("value" AS VARCHAR))
    ) AS place
  FROM "domain se""x" AS v
) AS d
UNION ALL
SELECT
  d.value,
  COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS own,
  d.place,
  COALESCE('v' || decode(encode(CAST("p"."level_1" AS VARCHAR))), '') AS label
FROM (
  SELECT
    value,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END IS NULL THEN 1 ELSE 0 END,
        CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END,
        encode(CAST("value" AS VARCHAR))
    ) AS place
  FROM "domain se""x" AS v
) AS d
JOIN "complete se""x" AS p
  ON CAST("d"."value" AS VARCHAR) IS NOT DISTINCT FROM "p"."value"
