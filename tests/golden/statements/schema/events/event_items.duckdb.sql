-- event_items
CREATE TEMP TABLE "eve'nt items" AS
SELECT
  ROW_NUMBER() OVER (ORDER BY s."value_0" ) * 2 + 1 AS item_id,
  s.*
FROM (
  SELECT DISTINCT "s"."wa;rd" AS "value_0"
  FROM "vis;its" AS s
) AS s
