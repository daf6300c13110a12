-- whole_numbers
CREATE TEMP TABLE "whole num'bers" AS
SELECT
  value,
  CASE
    WHEN span > 0 THEN CAST(FLOOR((measure - least) / span * 1000000000 + 0.5) AS BIGINT) + 1
    WHEN measure IS NOT NULL THEN CAST(1 AS BIGINT)
  END AS code
FROM (
  SELECT
    value,
    measure,
    span,
    MIN(measure) OVER () AS least
  FROM "line; 0" AS a
) AS m
