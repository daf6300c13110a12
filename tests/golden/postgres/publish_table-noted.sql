CREATE TABLE "no;ted" AS
SELECT "se""x"
FROM "staged'" AS t
