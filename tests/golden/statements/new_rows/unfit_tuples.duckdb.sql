-- unfit_tuples
CREATE TEMP TABLE "left o'ut" AS
SELECT h.region, h.row_count
FROM "in'" AS h
WHERE NOT EXISTS (SELECT 1 FROM "fits'" AS f WHERE f.region = h.region)
