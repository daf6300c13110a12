-- collation_probe
CREATE TEMP TABLE "like it" AS
SELECT
  "na'me" AS "column_0",
  "ward 🏥" AS "column_1"
FROM "the source; DROP TABLE x" AS o
LIMIT 0
