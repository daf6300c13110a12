-- empty_copy
CREATE TEMP TABLE "no ro'ws" AS
SELECT *
FROM "staged'" AS l
WHERE FALSE
