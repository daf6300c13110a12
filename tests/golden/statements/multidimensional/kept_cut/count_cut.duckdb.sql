-- count_cut
SELECT COUNT(child) AS branches, COUNT(*) - COUNT(child) AS groups
FROM "seen cu't" AS k
