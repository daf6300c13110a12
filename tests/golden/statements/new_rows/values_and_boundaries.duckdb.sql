-- values_and_boundaries
CREATE TEMP TABLE "both doma'ins" AS
SELECT value
FROM "domain of ages" AS d
UNION
SELECT "low_0" AS value
FROM "kept si'des" AS l
UNION
SELECT "high_0" AS value
FROM "kept si'des" AS h
