-- typed_rows
CREATE TEMP VIEW "typed" AS
SELECT
  "t"."se""x" AS "se""x",
  CAST("t"."zip; --" AS DECIMAL(18, 2)) AS "zip; --"
FROM "the source; DROP TABLE x" AS t
