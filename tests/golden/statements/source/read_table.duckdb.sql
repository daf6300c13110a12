-- read_table
CREATE TEMP VIEW "from table" AS
SELECT *
FROM "sniffed"
