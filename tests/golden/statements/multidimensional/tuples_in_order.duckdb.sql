-- tuples_in_order
CREATE TEMP TABLE "in ord'er" AS
SELECT * FROM "do'ne" AS p
UNION ALL
SELECT * FROM "af'ter" AS p
ORDER BY region
