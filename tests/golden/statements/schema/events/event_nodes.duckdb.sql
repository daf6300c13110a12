-- event_nodes
CREATE TEMP TABLE "eve'nt nodes" AS
SELECT
  l.item_id,
  l.level,
  l.label_id
FROM "eve'nt labels" AS l
