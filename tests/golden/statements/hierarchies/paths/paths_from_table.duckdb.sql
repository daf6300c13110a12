-- paths_from_table
CREATE TEMP TABLE "copied" AS
SELECT DISTINCT
  decode(encode(CAST("SELECT" AS VARCHAR))) AS value,
  decode(encode(CAST("ward 🏥" AS VARCHAR))) AS "level_1",
  decode(encode(CAST("se""x" AS VARCHAR))) AS "level_2"
FROM "from table" AS o
