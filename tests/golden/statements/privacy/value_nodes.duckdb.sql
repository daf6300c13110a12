-- value_nodes
CREATE TEMP TABLE "nodes of values" AS
SELECT
  c.code AS value,
  m."level_1",
  m."level_2"
FROM "values dis'ease" AS c
JOIN "map zip; --" AS m ON "c"."value" IS NOT DISTINCT FROM "m"."value"
WHERE c.code IS NOT NULL
