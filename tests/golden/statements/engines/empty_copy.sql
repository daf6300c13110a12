-- postgres
CREATE TEMP TABLE "li'ke" AS
SELECT *
FROM "si'des" AS l
WHERE FALSE
