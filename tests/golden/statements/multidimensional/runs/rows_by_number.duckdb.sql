-- rows_by_number
CREATE TEMP VIEW "numb'ered" AS
SELECT s.*, s.rowid - 36028797018960000 AS nth
FROM "sor'ted" AS s
