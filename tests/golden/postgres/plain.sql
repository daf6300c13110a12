CREATE TEMP VIEW "plain" AS
SELECT
(CAST("se""x" AS TEXT) COLLATE "default") AS "se""x",
"zip; --" AS "zip; --",
"age
of 👩" AS "age
of 👩",
"SELECT" AS "SELECT"
FROM "the source; DROP TABLE x" AS o
