-- count_formulas
SELECT
  COUNT(CASE
    WHEN "na'me" LIKE '=_%' OR "na'me" LIKE '@_%' THEN 1
    WHEN ("na'me" LIKE '+_%' OR "na'me" LIKE '-_%') AND TRY_CAST("na'me" AS DOUBLE) IS NULL THEN 1
  END),
  COUNT(CASE
    WHEN "ward 🏥" LIKE '=_%' OR "ward 🏥" LIKE '@_%' THEN 1
    WHEN ("ward 🏥" LIKE '+_%' OR "ward 🏥" LIKE '-_%') AND TRY_CAST("ward 🏥" AS DOUBLE) IS NULL THEN 1
  END)
FROM "staged'" AS t
