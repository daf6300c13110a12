-- empty_boundaries
CREATE TEMP TABLE "li'ke" AS
SELECT
  CAST(NULL AS BIGINT) AS region,
  CAST(NULL AS BIGINT) AS child,
  CAST(NULL AS INTEGER) AS axis,
  CAST(NULL AS INTEGER) AS side,
  CAST(NULL AS BIGINT) AS row_count,
  "s"."age
of 👩" AS "low_0",
  "s"."age
of 👩" AS "high_0",
  "s"."se""x" AS "low_1",
  "s"."se""x" AS "high_1",
  CAST(NULL AS INTEGER) AS "level_2",
  CAST("s"."zip; --" AS VARCHAR) AS "label_2"
FROM "the source; DROP TABLE x" AS s
WHERE 1 = 0
