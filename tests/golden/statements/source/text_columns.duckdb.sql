-- text_columns
CREATE TEMP VIEW "plain" AS
SELECT
decode(encode(CAST("se""x" AS VARCHAR))) AS "se""x",
"zip; --" AS "zip; --",
"age
of 👩" AS "age
of 👩",
"SELECT" AS "SELECT"
FROM "the source; DROP TABLE x" AS o
