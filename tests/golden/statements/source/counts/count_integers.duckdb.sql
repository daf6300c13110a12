-- count_integers
SELECT
  0 AS number,
  COUNT(value) AS all_rows,
  COALESCE(BIT_COUNT(BITSTRING_AGG(place, 0, 64)), 0) AS all_values
FROM (
  SELECT "s"."age
of 👩" AS value, CASE WHEN is_short THEN CAST(CAST("s"."age
of 👩" AS HUGEINT) - low AS BIGINT) END AS place
  FROM "the source; DROP TABLE x" AS s
  CROSS JOIN (
    SELECT
      MIN(CAST("s"."age
of 👩" AS HUGEINT)) AS low,
      MAX(CAST("s"."age
of 👩" AS HUGEINT)) - MIN(CAST("s"."age
of 👩" AS HUGEINT)) <= 64 AS is_short
    FROM "the source; DROP TABLE x" AS s
  ) AS e
) AS t
UNION ALL
SELECT
  1 AS number,
  COUNT(value) AS all_rows,
  COALESCE(BIT_COUNT(BITSTRING_AGG(place, 0, 64)), 0) AS all_values
FROM (
  SELECT "s"."s.s.n" AS value, CASE WHEN is_short THEN CAST(CAST("s"."s.s.n" AS HUGEINT) - low AS BIGINT) END AS place
  FROM "the source; DROP TABLE x" AS s
  CROSS JOIN (
    SELECT
      MIN(CAST("s"."s.s.n" AS HUGEINT)) AS low,
      MAX(CAST("s"."s.s.n" AS HUGEINT)) - MIN(CAST("s"."s.s.n" AS HUGEINT)) <= 64 AS is_short
    FROM "the source; DROP TABLE x" AS s
  ) AS e
) AS t
ORDER BY number
