-- cells
CREATE TEMP TABLE "weigh'ed se""x" AS
SELECT
  label,
  value,
  COUNT(*) AS row_count
FROM (
  SELECT
    COALESCE('v' || decode(encode(CAST("t"."se""x" AS VARCHAR))), '') AS label,
    "t"."own 'se""x'" AS value
  FROM "weigh'ed source" AS t
) AS c
GROUP BY label, value
