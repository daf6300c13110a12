-- kept_starts
CREATE TEMP TABLE "star'ts" AS
SELECT region AS leaf, low AS first_row
FROM "seen cu't" AS k
WHERE child IS NULL AND axis IS NULL
