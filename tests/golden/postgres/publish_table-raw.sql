CREATE TABLE "main"."re""lease" AS
SELECT "se""x", "zip; --"
FROM "staged'" AS t
