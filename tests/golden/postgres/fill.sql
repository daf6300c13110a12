INSERT INTO "main"."in ""place" ("se""x", "zip; --") OVERRIDING SYSTEM VALUE
SELECT "se""x", "zip; --"
FROM "staged'" AS t
