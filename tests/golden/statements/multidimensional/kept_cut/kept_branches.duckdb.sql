-- kept_branches
CREATE TEMP TABLE "kept branch'es" AS
SELECT region, axis, low, high, child
FROM "seen cu't" AS k
WHERE child IS NOT NULL
