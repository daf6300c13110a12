-- item_nodes
CREATE TEMP TABLE "li'st nodes" AS
SELECT
  t.item_id,
  t.level,
  t.label,
  DENSE_RANK() OVER (ORDER BY t.level, encode(CAST("t"."label" AS VARCHAR))) AS label_id
FROM (
  SELECT item_id, 0 AS level, CAST("n"."value" AS VARCHAR) AS label FROM "li'st numbers" AS n
) AS t
