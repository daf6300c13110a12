-- rare_places-ranked
CREATE TEMP TABLE "rare ra'nks" AS
SELECT axis, place
FROM "place ra'nks" AS w
WHERE axis IN (0, 1) AND place >= 0 AND row_count < 5
