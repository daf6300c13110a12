-- see_masked
CREATE TEMP VIEW "se'en masked" AS
SELECT
  "s"."na'me" AS "na'me",
  (TRIM("se""x") || 'it''s') AS "se""x"
FROM "the source; DROP TABLE x" AS s
