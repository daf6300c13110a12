CREATE TEMP TABLE "copied" AS
SELECT
  (CAST("SELECT" AS TEXT) COLLATE "default") AS value,
  (CAST("ward 🏥" AS TEXT) COLLATE "default") AS "level_1",
  (CAST("se""x" AS TEXT) COLLATE "default") AS "level_2"
FROM "from table" AS o
