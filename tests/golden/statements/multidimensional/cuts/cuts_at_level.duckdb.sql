-- cuts_at_level
CREATE TEMP TABLE "cuts at a le'vel" AS
SELECT region, axis, level, MIN(part) AS part
FROM "parts at a le'vel" AS p
GROUP BY region, axis, level
