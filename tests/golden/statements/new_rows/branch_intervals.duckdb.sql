-- branch_intervals
CREATE TEMP TABLE "routes'" AS
SELECT
  s.region,
  s.child,
  s.axis,
  CAST(CASE WHEN s.side = 1 THEN COALESCE("l0".place, -1) + 1 ELSE -1 END AS BIGINT) AS low,
  CAST(CASE WHEN s.side = 0 THEN COALESCE("h0".place, -1) ELSE 4611686018427387904 END AS BIGINT) AS high
FROM "kept si'des" AS s
LEFT JOIN "line; 0" AS "l0" ON "l0"."value" IS NOT DISTINCT FROM "s"."low_0"
LEFT JOIN "line; 0" AS "h0" ON "h0"."value" IS NOT DISTINCT FROM "s"."high_0"
WHERE s.child IS NOT NULL AND s.axis = 0
UNION ALL
SELECT
  s.region,
  s.child,
  s.axis,
  CAST(CASE WHEN s.side = 1 THEN COALESCE("l1".place, -1) + 1 ELSE -1 END AS BIGINT) AS low,
  CAST(CASE WHEN s.side = 0 THEN COALESCE("h1".place, -1) ELSE 4611686018427387904 END AS BIGINT) AS high
FROM "kept si'des" AS s
LEFT JOIN "line; 2" AS "l1" ON "l1"."value" IS NOT DISTINCT FROM "s"."low_1"
LEFT JOIN "line; 2" AS "h1" ON "h1"."value" IS NOT DISTINCT FROM "s"."high_1"
WHERE s.child IS NOT NULL AND s.axis = 1
UNION ALL
SELECT
  s.region,
  s.child,
  s.axis,
  CAST("t2".low AS BIGINT) AS low,
  CAST("t2".high AS BIGINT) AS high
FROM "kept si'des" AS s
JOIN "label no'des" AS "t2" ON "t2".level = s."level_2" AND "t2"."label" IS NOT DISTINCT FROM "s"."label_2"
WHERE s.child IS NOT NULL AND s.axis = 2
