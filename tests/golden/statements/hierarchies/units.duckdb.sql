-- units
CREATE TEMP TABLE "uni'ts" AS
SELECT
  CAST(ROW_NUMBER() OVER (ORDER BY low) - 1 AS INTEGER) AS place,
  low,
  high,
  measure,
  MAX(measure) OVER () - MIN(measure) OVER () AS span
FROM (
  SELECT
    low,
    last_month + 4 - CAST(EXTRACT(DAY FROM last_month + 4) AS INTEGER) AS high,
    CAST(DATE_DIFF('day', DATE '1970-01-01', "low") AS DOUBLE) AS measure
  FROM (
    SELECT
      low,
      MAKE_DATE(
        CAST(EXTRACT(YEAR FROM low) AS INTEGER),
        CAST(EXTRACT(MONTH FROM low) AS INTEGER),
        28
      ) AS last_month
    FROM (
      SELECT low
      FROM (
SELECT
  value,
  MAKE_DATE(CAST(EXTRACT(YEAR FROM spot) AS INTEGER), CAST(EXTRACT(MONTH FROM spot) AS INTEGER), 1) AS low
FROM (
  SELECT value, CASE WHEN regexp_full_match(CAST("d"."value" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("d"."value" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("d"."value" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END AS spot
  FROM "domain of visits" AS d
) AS s      ) AS o
      GROUP BY low
    ) AS b
    WHERE low IS NOT NULL
  ) AS e
) AS u
