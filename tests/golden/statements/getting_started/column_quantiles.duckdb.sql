-- column_quantiles
SELECT
  0 AS number,
  MIN(measure) AS least,
  MAX(measure) AS largest,
  PERCENTILE_DISC(0.01) WITHIN GROUP (ORDER BY measure) AS "share_0",
  PERCENTILE_DISC(0.05) WITHIN GROUP (ORDER BY measure) AS "share_1",
  PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY measure) AS "share_2",
  PERCENTILE_DISC(0.95) WITHIN GROUP (ORDER BY measure) AS "share_3",
  PERCENTILE_DISC(0.99) WITHIN GROUP (ORDER BY measure) AS "share_4"
FROM (
  SELECT CAST("s"."age
of 👩" AS DOUBLE) AS measure
  FROM "the source; DROP TABLE x" AS s
) AS m
WHERE ABS(measure) < 1000000000000000
UNION ALL
SELECT
  1 AS number,
  MIN(measure) AS least,
  MAX(measure) AS largest,
  PERCENTILE_DISC(0.01) WITHIN GROUP (ORDER BY measure) AS "share_0",
  PERCENTILE_DISC(0.05) WITHIN GROUP (ORDER BY measure) AS "share_1",
  PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY measure) AS "share_2",
  PERCENTILE_DISC(0.95) WITHIN GROUP (ORDER BY measure) AS "share_3",
  PERCENTILE_DISC(0.99) WITHIN GROUP (ORDER BY measure) AS "share_4"
FROM (
  SELECT CAST(DATE_DIFF('day', DATE '1970-01-01', "day") AS DOUBLE) AS measure
  FROM (
    SELECT CASE WHEN regexp_full_match(CAST("s"."vis.it" AS VARCHAR), '[0-9]{4,6}-[0-9]{2}-[0-9]{2}( [(]BC[)])?([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z| ?[+-][0-9]{2}(:?[0-9]{2})?)?)?( BC)?') THEN TRY_CAST(SPLIT_PART(SPLIT_PART(CAST("s"."vis.it" AS VARCHAR), ' ', 1), 'T', 1) || CASE WHEN CAST("s"."vis.it" AS VARCHAR) LIKE '%BC%' THEN ' (BC)' ELSE '' END AS DATE) END AS day
    FROM "the source; DROP TABLE x" AS s
  ) AS d
  WHERE day BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'
) AS m
WHERE ABS(measure) < 1000000000000000
ORDER BY number
