-- released_boundaries
CREATE TEMP TABLE "told'" AS
SELECT
  s.region,
  CAST(COALESCE("l0".place, -1) AS BIGINT) AS "low_0",
  CAST(COALESCE("h0".place, -1) AS BIGINT) AS "high_0",
  CASE WHEN "l0".place >= 0 THEN "s"."low_0" END AS "low_of_0",
  CASE WHEN "l0".place >= 0 THEN "s"."high_0" END AS "high_of_0",
  CAST(COALESCE("l1".place, -1) AS BIGINT) AS "low_1",
  CAST(COALESCE("h1".place, -1) AS BIGINT) AS "high_1",
  CASE
    WHEN COALESCE("l1".place, -1) < 0 AND "h1".place >= 0 THEN '*'
    WHEN CAST("s"."low_1" AS VARCHAR) = CAST("s"."high_1" AS VARCHAR) THEN CAST("s"."low_1" AS VARCHAR)
    ELSE '[' || CAST("s"."low_1" AS VARCHAR) || ', ' || CAST("s"."high_1" AS VARCHAR) || ']'
  END AS "label_of_1",
  CAST("t2".low AS BIGINT) AS "low_2",
  CAST("t2".high AS BIGINT) AS "high_2",
  s."label_2" AS "label_of_2"
FROM "kept si'des" AS s
LEFT JOIN "line; 0" AS "l0" ON "l0"."value" IS NOT DISTINCT FROM "s"."low_0"
LEFT JOIN "line; 0" AS "h0" ON "h0"."value" IS NOT DISTINCT FROM "s"."high_0"
LEFT JOIN "line; 2" AS "l1" ON "l1"."value" IS NOT DISTINCT FROM "s"."low_1"
LEFT JOIN "line; 2" AS "h1" ON "h1"."value" IS NOT DISTINCT FROM "s"."high_1"
JOIN "label no'des" AS "t2" ON "t2".level = s."level_2" AND "t2"."label" IS NOT DISTINCT FROM "s"."label_2"
WHERE s.child IS NULL
