-- spread_of_numbers
SELECT
  COUNT(*) AS different,
  SUM(CASE WHEN number IS NULL THEN row_count ELSE 0 END) AS texts,
  MIN(CASE WHEN 2 * upto >= many THEN number END) AS median,
  MAX(CASE WHEN 20 * (upto - row_count) <= 19 * many THEN number END) - MIN(CASE WHEN 20 * upto > many THEN number END) AS span
FROM (
  SELECT
    number,
    row_count,
    SUM(row_count) OVER (ORDER BY number) AS upto,
    SUM(row_count) OVER () AS many
  FROM (
    SELECT
      CAST(CASE WHEN regexp_full_match(CAST("t"."se""x" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("t"."se""x" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("t"."se""x" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("t"."se""x" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END AS DOUBLE) / CAST(1000000 AS DOUBLE) AS number,
      COUNT(*) AS row_count
    FROM "the source; DROP TABLE x" AS t
    WHERE "t"."se""x" IS NOT NULL
    GROUP BY CAST(CASE WHEN regexp_full_match(CAST("t"."se""x" AS VARCHAR), '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,2})?') THEN CAST(FLOOR(TRY_CAST(CAST("t"."se""x" AS VARCHAR) AS DECIMAL(30, 15))) AS HUGEINT) * 1000000 + CAST(FLOOR((TRY_CAST(CAST("t"."se""x" AS VARCHAR) AS DECIMAL(30, 15)) - FLOOR(TRY_CAST(CAST("t"."se""x" AS VARCHAR) AS DECIMAL(30, 15)))) * 1000000) AS HUGEINT) END AS DOUBLE) / CAST(1000000 AS DOUBLE)
  ) AS n
) AS s
