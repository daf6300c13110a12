CREATE TEMP VIEW "from query" AS
SELECT "se""x" AS Sex, 'it''s' FROM "from table"
