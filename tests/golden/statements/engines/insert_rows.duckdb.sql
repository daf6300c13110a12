-- insert_rows
INSERT INTO "main"."in ""place" ("se""x", "zip; --")
SELECT "se""x", "zip; --"
FROM "staged'" AS t
