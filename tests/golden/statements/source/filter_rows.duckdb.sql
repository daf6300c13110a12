-- filter_rows
CREATE TEMP VIEW "some; rows" AS
SELECT *
FROM "the source; DROP TABLE x" AS s
WHERE ("se""x" = 'o''x; --' OR NOT "SELECT" IS NULL)
