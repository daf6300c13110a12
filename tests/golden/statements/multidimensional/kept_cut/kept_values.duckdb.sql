-- kept_values
CREATE TEMP TABLE "kept va'lues" AS
SELECT axis AS quasi, region, high AS place
FROM "seen cu't" AS k
WHERE child IS NULL AND axis IS NOT NULL
