CREATE TEMP TABLE "copied" AS
SELECT
  CAST("SELECT" AS VARCHAR) AS value,
  CAST("ward 🏥" AS VARCHAR) AS "level_1",
  CAST("se""x" AS VARCHAR) AS "level_2"
FROM "from table" AS o
