-- values
CREATE TEMP TABLE "measu'red values se""x" AS
WITH placed AS (
  SELECT
    value,
    number,
    ROW_NUMBER() OVER (
      ORDER BY
        CASE WHEN value IS NULL THEN 2 WHEN number IS NULL THEN 1 ELSE 0 END,
        number,
        encode(CAST("value" AS VARCHAR))
    ) AS place
  FROM (
    SELECT
      value,
      CASE WHEN regexp_full_match(CAST("value" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("value" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END AS number
    FROM "domain se""x" AS v
  ) AS n
)
SELECT
  d.value,
  COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS own,
  d.place,
  d.number,
  COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS label
FROM placed AS d
UNION ALL
SELECT
  d.value,
  COALESCE('v' || decode(encode(CAST("d"."value" AS VARCHAR))), '') AS own,
  d.place,
  d.number,
  COALESCE('v' || decode(encode(CAST("p"."level_1" AS VARCHAR))), '') AS label
FROM placed AS d
JOIN "complete se""x" AS p
  ON CAST("d"."value" AS VARCHAR) IS NOT DISTINCT FROM "p"."value"
