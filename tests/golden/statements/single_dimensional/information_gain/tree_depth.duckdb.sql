-- tree_depth
SELECT MAX(n.level) - MIN(n.level) AS steps, COUNT(*) - COUNT(n.parent) AS roots
FROM "no'des" AS n
