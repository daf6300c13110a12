-- count_repeats
SELECT
  COUNT("na'me") - COUNT(DISTINCT "na'me"),
  COUNT("who") - COUNT(DISTINCT "who")
FROM "the source; DROP TABLE x"
