-- event_rows
CREATE TEMP TABLE "eve'nt rows" AS
SELECT
  t.class_id,
  t.person_id,
  t.item_id,
  COUNT(*) AS times
FROM (
  SELECT
    p.class_id,
    p.person_id,
    i.item_id
  FROM "vis;its" AS s
  JOIN "eve'nt numbered" AS p ON p.person_key = "s"."pa.tient"
  JOIN "eve'nt items" AS i ON "s"."wa;rd" IS NOT DISTINCT FROM "i"."value_0"
) AS t
GROUP BY
  t.class_id,
  t.person_id,
  t.item_id
