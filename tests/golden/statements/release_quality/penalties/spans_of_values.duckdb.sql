-- spans_of_values
SELECT
  0 AS quasi,
  COUNT(*) AS different,
  SUM(CASE WHEN number IS NULL THEN 1 ELSE 0 END) AS texts,
  MAX(CASE WHEN 20 * spot <= 19 * many THEN number END) - MIN(CASE WHEN 20 * spot > many THEN number END) AS span
FROM (
  SELECT
    number,
    ROW_NUMBER() OVER (ORDER BY number, place) AS spot,
    COUNT(*) OVER () AS many
  FROM (
    SELECT
      place,
      MIN(CAST(EXTRACT(YEAR FROM CASE WHEN regexp_full_match(CAST("v"."value" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("v"."value" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("v"."value" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END) AS BIGINT)) AS number
    FROM (
      SELECT DISTINCT
        place,
        value
      FROM "measu'red days"
      WHERE value IS NOT NULL
    ) AS v
    GROUP BY place
  ) AS p
) AS s
UNION ALL
SELECT
  1 AS quasi,
  COUNT(*) AS different,
  SUM(CASE WHEN number IS NULL THEN 1 ELSE 0 END) AS texts,
  MAX(CASE WHEN 20 * spot <= 19 * many THEN number END) - MIN(CASE WHEN 20 * spot > many THEN number END) AS span
FROM (
  SELECT
    number,
    ROW_NUMBER() OVER (ORDER BY number, place) AS spot,
    COUNT(*) OVER () AS many
  FROM (
    SELECT
      place,
      MIN(CAST("v"."number" AS DOUBLE) / CAST(1000000 AS DOUBLE)) AS number
    FROM "measu'red values zip; --" AS v
    WHERE value IS NOT NULL
    GROUP BY place
  ) AS p
) AS s
ORDER BY quasi
