-- event_labels
CREATE TEMP TABLE "eve'nt labels" AS
SELECT
  t.*,
  DENSE_RANK() OVER (ORDER BY t.level, encode(CAST("t"."label_0" AS VARCHAR))) * 2 + 1 AS label_id
FROM (
  SELECT
    i.item_id,
    0 AS level,
    CAST("i"."value_0" AS VARCHAR) AS "label_0"
  FROM "eve'nt items" AS i
  JOIN "wa;rds map" AS "q0" ON "i"."value_0" IS NOT DISTINCT FROM "q0"."value"
  UNION ALL
  SELECT
    i.item_id,
    1 AS level,
    CAST("q0"."label_1" AS VARCHAR) AS "label_0"
  FROM "eve'nt items" AS i
  JOIN "wa;rds map" AS "q0" ON "i"."value_0" IS NOT DISTINCT FROM "q0"."value"
) AS t
