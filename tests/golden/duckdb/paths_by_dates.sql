CREATE TEMP TABLE "dates" AS
SELECT
  value,
  strftime(moment, '%Y-%m-%d') AS "level_1",
  strftime(moment, '%G-W%V') AS "level_2",
  strftime(moment, '%Y-%m') AS "level_3",
  strftime(moment, '%Y') || '-Q' || EXTRACT(quarter FROM moment) AS "level_4",
  strftime(moment, '%Y') AS "level_5",
  CAST(FLOOR(EXTRACT(year FROM moment) / 10) * 10 AS INTEGER) || 's' AS "level_6",
  CAST(FLOOR(EXTRACT(year FROM moment) / 100) * 100 AS INTEGER) || 's' AS "level_7",
  CASE WHEN value IS NOT NULL AND moment IS NULL THEN NULL ELSE '*' END AS "level_8"
FROM (
  SELECT
    value,
    CASE
      WHEN isfinite(TRY_CAST(value AS TIMESTAMP)) THEN TRY_CAST(value AS TIMESTAMP)
    END AS moment
  FROM "visits" AS d
) AS m
