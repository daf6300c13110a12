-- lone_values
SELECT
  COALESCE(SUM(CASE WHEN "s"."na'me" IS NOT NULL AND "s"."zip; --" IS NULL AND "s"."vis.it" IS NULL THEN 1 ELSE 0 END), 0) AS lone_0,
  COALESCE(SUM(CASE WHEN "s"."zip; --" IS NOT NULL AND "s"."na'me" IS NULL AND "s"."vis.it" IS NULL THEN 1 ELSE 0 END), 0) AS lone_1
FROM "the source; DROP TABLE x" AS s
