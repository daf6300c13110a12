-- labelled_events
CREATE TEMP TABLE "eve'nt staged" AS
SELECT
  "s"."pa.tient" AS "pa.tient",
  "l"."label_0" AS "wa;rd"
FROM "vis;its" AS s
JOIN "eve'nt numbered" AS p ON p.person_key = "s"."pa.tient"
JOIN "eve'nt items" AS i ON "s"."wa;rd" IS NOT DISTINCT FROM "i"."value_0"
JOIN "eve'nt levels" AS v ON v.class_id = p.class_id AND v.item_id = i.item_id
JOIN "eve'nt labels" AS l ON l.item_id = v.item_id AND l.level = v.level
ORDER BY random()
