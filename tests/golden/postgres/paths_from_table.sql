CREATE TEMP TABLE "copied" AS
SELECT
  CAST("SELECT" AS TEXT) AS value,
  CAST("ward 🏥" AS TEXT) AS "level_1",
  CAST("se""x" AS TEXT) AS "level_2"
FROM "from table" AS o
